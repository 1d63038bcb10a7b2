"""PyTorch's tensors: bytes and shapes read without a call, beside what PyTorch says."""

from __future__ import annotations

import gc
from typing import Any

import torch
from paths_door import holders, whole
from scan_door import forget, grown, run_checks, scan, sizes


def owned(thing: object) -> int:
    """Bytes of its buffers."""
    return sum(size for _, size, _ in sizes(thing)["buffers"])


def check_tensors_are_read() -> None:
    shapes = [(), (1,), (7,), (2000, 7), (3, 70_000, 2), (1, 2, 3, 4, 5), (1, 2, 3, 4, 5, 6, 7)]
    for kind in (
        torch.float32,
        torch.float64,
        torch.int8,
        torch.int64,
        torch.bool,
        torch.bfloat16,
        torch.complex128,
    ):
        for shape in shapes:
            tensor = torch.zeros(shape, dtype=kind)
            said = sizes(tensor)
            assert 0 <= owned(tensor) - tensor.nbytes <= 200, (kind, shape, said)
            assert tensor.data_ptr() in [at for at, _, _ in said["buffers"]]
            assert not said["opaque"]
            if len(shape) <= 5:
                one = f"({shape[0]},)" if len(shape) == 1 else str(shape)
                name = str(kind).removeprefix("torch.")
                assert said["words"] == f"Tensor {one} {name}", said
    assert owned(torch.zeros((0, 5))) < 200
    assert not sizes(torch.zeros((0, 5)))["opaque"]


def check_views_keep_the_whole() -> None:
    whole = torch.zeros(1000, 100)
    for view in (whole[:2], whole.T, whole[5:, 3], whole.view(-1), whole[::2], whole.detach()):
        assert (whole.data_ptr(), whole.nbytes) in [(at, size) for at, size, _ in sizes(view)["buffers"]] or (
            view.untyped_storage().data_ptr(),
            whole.nbytes,
        ) in [(at, size) for at, size, _ in sizes(view)["buffers"]], sizes(view)
    assert owned(torch.zeros(1, 4).expand(1000, 4)) < 200


def check_parts_are_called_slices() -> None:
    batch = torch.zeros(800, 300)
    assert sizes(batch[:4])["words"] == "slice (4, 300) of Tensor (240000,) float32"
    assert sizes(batch[:4].clone())["words"] == "Tensor (4, 300) float32"
    for most in (batch[:600], batch.T, batch.view(-1), batch.detach()):
        assert sizes(most)["words"].startswith("Tensor"), sizes(most)
    rows = list(torch.zeros(50, 30))
    assert sizes(rows[0])["words"] == "Tensor (30,) float32", "together they are all of it"
    assert sizes(torch.zeros(1, 4).expand(1000, 4))["words"] == "Tensor (1000, 4) float32"
    assert sizes(torch.nn.Linear(300, 200).weight)["words"] == "Parameter (200, 300) float32"
    weight = torch.zeros(300, 20, requires_grad=True)
    assert sizes((weight * 2)[:3])["words"] == "Tensor (3, 20) float32 with grad_fn", "more than a slice"


def check_parameters() -> None:
    layer = torch.nn.Linear(300, 200)
    assert sizes(layer.weight)["words"] == "Parameter (200, 300) float32"
    assert owned(layer.weight) - layer.weight.nbytes <= 200


def check_tensors_with_a_graph() -> None:
    weight = torch.zeros(300, 200, requires_grad=True)
    for tensor in (weight, weight * 2, (weight * 2).sum(), torch.zeros(64, 300) @ weight):
        said = sizes(tensor)
        assert (tensor.data_ptr(), tensor.nbytes) in [(at, size) for at, size, _ in said["buffers"]], said
        assert 0 <= owned(tensor) - tensor.nbytes <= 200, said


def check_graphs_lead_to_what_they_saved() -> None:
    network = torch.nn.Sequential(torch.nn.Linear(30, 70), torch.nn.ReLU(), torch.nn.Linear(70, 1))
    batch = torch.rand(500, 30)
    hidden = network[:2](batch)
    loss = ((network[2](hidden) - 1) ** 2).mean() * 500
    graph = sizes(loss)["graph"]
    for saved in (batch, hidden):
        assert [saved.data_ptr(), saved.nbytes] in graph, graph
    addresses = [at for at, _ in graph]
    assert len(addresses) == len(set(addresses))
    # Seven functions that compute, two that transpose weights.
    assert 9 <= sum(200 < size < 1000 for _, size in graph) <= 20, graph
    assert sizes(loss.detach())["graph"] == [], "a number has none"
    assert sizes(network[0].weight)["graph"] == []
    loss.backward()
    freed = sizes(loss)["graph"]
    assert [hidden.data_ptr(), hidden.nbytes] not in freed, "the backward pass let go of it"


HISTORY: dict[str, list[Any]] = {"loss": [], "number": []}
NETWORK = torch.nn.Sequential(torch.nn.Linear(30, 70), torch.nn.ReLU(), torch.nn.Linear(70, 1))


def check_a_look_finds_who_keeps_a_graph() -> None:
    hidden = NETWORK[:2](torch.rand(500, 30))
    blocks = [(1, hidden.data_ptr(), hidden.nbytes)]
    weight = NETWORK[0].weight
    blocks.append((2, weight.data_ptr(), weight.nbytes))
    HISTORY["loss"].append(NETWORK[2](hidden).mean())
    HISTORY["number"].append(NETWORK[2](hidden).mean().detach())
    del hidden, weight
    found = holders(whole(blocks))
    assert "HISTORY['loss']" in found[1]["path"]["text"], found
    assert "NETWORK" in found[2]["path"]["text"], found
    HISTORY["loss"].clear()
    assert "HISTORY" not in str(holders(whole(blocks)).get(1)), "the graph is gone"


def check_long_graphs_end() -> None:
    weight = torch.zeros(5, requires_grad=True)
    total = weight.sum()
    for _ in range(20_000):
        total = total + weight.sum()
    assert len(sizes(total)["graph"]) > 30_000


def check_a_graph_that_is_cut_hides_no_garbage() -> None:
    """Python's objects are all there: only bytes of garbage would be missing."""
    weight = torch.zeros(5, requires_grad=True)
    total = weight.sum()
    for _ in range(40_000):
        total = total + weight.sum()
    gc.collect()
    gc.disable()
    assert [whole([])[name] for name in ("cut", "garbage")] == [False, []]
    ring: list[Any] = [weight.sum()]
    ring.append(ring)
    del ring
    assert whole([])["cut"], "the look does not know what its graph keeps"
    gc.enable()
    gc.collect()


def check_what_has_no_storage_is_opaque() -> None:
    assert sizes(torch.zeros(5, 5).to_sparse())["opaque"]
    assert owned(torch.zeros(5, device="meta")) < 200


def check_growing_lists() -> None:
    kept: list[Any] = []
    rows: list[Any] = []
    losses: list[Any] = []
    weight = torch.zeros(10, 10, requires_grad=True)
    forget()
    for _ in range(4):
        kept.append(torch.rand(200, 500))
        rows.append(torch.rand(200, 500)[3:4])
        losses.append((weight * 2).sum())
        result = scan()
    for container in (kept, rows):
        one = grown(container, result)
        assert 400_000 <= one["bytes"] <= 401_000, one
        assert not one["native"], one
    assert grown(kept, result)["elements"] == "1 x Tensor (200, 500) float32"
    assert grown(losses, result)["native"], "a graph hangs below each"
    assert grown(losses, result)["elements"] == "1 x Tensor () float32 with grad_fn"
    assert sizes((losses[0], 1, weight))["words"] == "tuple (Tensor with grad_fn, int, Tensor)"
    assert sizes({"loss": losses[0], "n": 1})["words"] == "dict (Tensor with grad_fn, int)"
    assert not sizes(weight)["opaque"]
    assert not sizes((weight * 2).detach())["opaque"]


run_checks(globals())
