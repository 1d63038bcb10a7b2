"""What is said of a Ray cluster and its nodes.

In: names, numbers, and what Ray said. Out: a sentence; its hint is apart.
Never: a name that a node would have to import: what is said there travels as text.
"""

from __future__ import annotations

NO_RAY = "Ray is not installed here"
INSTALL_RAY = "pip install 'nilometer[ray]'"
WHICH_CLUSTER = "it is the one that runs on this machine, or the one that RAY_ADDRESS names"
# Said on a node, where nilometer may not be: `node`, `there` and `here` are filled in there.
ON_NODE = {
    "missing": "nilometer is not installed on the node {node}",
    "other": "the node {node} has nilometer {there}, this machine {here}",
}


def no_cluster(address: str | None, said: str) -> str:
    """`address` is what RAY_ADDRESS names."""
    return f"no Ray cluster answers{f' at {address}' if address else ''} ({said})"


def found(version: str, nodes: int, cpus: int) -> str:
    """The cluster; `version` is Ray's."""
    return f"Ray {version}: {nodes} node{'s' * (nodes != 1)}, {cpus} CPUs"


def failed(said: str) -> str:
    """A run."""
    return f"the run on the cluster failed: {said}"
