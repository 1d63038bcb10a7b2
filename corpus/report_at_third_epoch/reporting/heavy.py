"""Imported late, and with a lot behind it."""

import email.mime.text
import html.parser
import sqlite3
import unittest.mock
import xml.dom.minidom

import h5py
import numpy as np
import rich.console
import rich.markdown
import tensorflow.lite

TABLES = {size: [[i * j % 97 for i in range(size)] for j in range(size)] for size in (100, 200, 300)}
PARTS = (html.parser, unittest.mock, xml.dom.minidom, h5py, rich.console, rich.markdown, tensorflow.lite)


def summary(losses):
    with sqlite3.connect(":memory:") as database:
        database.execute("create table losses (value real)")
        database.executemany("insert into losses values (?)", [(value,) for value in losses])
    trend = np.polynomial.Polynomial.fit(range(len(losses)), losses, 1).convert().coef[1]
    return email.mime.text.MIMEText(f"losses fall: {trend < 0}, {len(PARTS)} parts").get_payload()
