"""Answers requests; remembers answers so that a repeated request costs nothing."""

import collections

import numpy as np


class Handler:
    def __init__(self, model, remembered=None):
        self.model = model
        self.limit = remembered
        self.answers = collections.OrderedDict()

    def handle(self, request):
        key = request["id"]
        if key not in self.answers:
            self.answers[key] = self.model.predict(request["frames"], verbose=0)
            if self.limit is not None and len(self.answers) > self.limit:
                self.answers.popitem(last=False)
        return int(np.argmax(self.answers[key].mean(axis=0)))
