"""What is hooked in PyTorch: calls of modules, steps of optimizers, passes over a loader.

In: one module of torch that was just imported. Out: its functions wrapped, and one hook for all optimizers.
Never: a frame of ours in a graph that `torch.compile`, `torch.export` or `torch.fx` makes, or a global hook
of modules: one such hook makes every call of every module take its slow path.
"""

from __future__ import annotations

import sys

from nilometer.hooks import cycles, marks, passes, probes, ticks
from nilometer.hooks.wrapping import forget_frame, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import CodeType, ModuleType
    from typing import Any

_torch: Any = None


def install(name: str, module: ModuleType) -> None:
    """Hooks what `module`, imported as `name`, has for us."""
    global _torch
    kind = name.rpartition(".")[2]
    if kind == "module":
        _leave_out(probes.cycle.__code__, all_below=True)
        _leave_out(passes.end.__code__, all_below=True)
        replace(module.Module, "__call__", _call)
    elif kind == "optimizer":
        _torch = sys.modules["torch"]
        _leave_out(_stepped.__code__, all_below=True)
        module.register_optimizer_step_post_hook(_stepped)
        _leave_out(ticks.tick.__code__, all_below=True)
        # A loop that steps no optimizer and calls no module has no other moment for a look at the counts.
        ticks.add(probes.look_if_due)
    elif kind == "dataloader":
        replace(module._BaseDataLoaderIter, "__next__", _next)


def _call(original: Any) -> Any:
    # Dynamo and fx take what they find as `Module.__call__` when they are imported for the original one, and
    # look through it: the wrapper is in place before that.
    call = cycles.wrap_outermost(marks.CALL, "call")(original)
    _leave_out(call.__code__)
    return call


def _stepped(optimizer: Any, args: Any, kwargs: Any) -> None:
    # Where a step is compiled, the compiler takes this to be true, and there is no more of us in its graph.
    if not _torch.compiler.is_compiling():
        cycles.update()


def _next(original: Any) -> Any:
    def __next__(self: Any, /) -> Any:
        if getattr(self, "_num_yielded", None) == 0:
            passes.begin(self)
        try:
            return original(self)
        except StopIteration as error:
            forget_frame(error)
            passes.end(self)
            raise
        except BaseException as error:
            forget_frame(error)
            raise

    _leave_out(__next__.__code__)
    return __next__


def _leave_out(code: CodeType, all_below: bool = False) -> None:
    """Lets the compiler pass over a frame of ours that it meets after a break of the graph."""
    try:
        frames = sys.modules["torch._C"]._dynamo.eval_frame
        skip, default = frames._FrameAction.SKIP, frames._FrameAction.DEFAULT
        strategy = frames._FrameExecStrategy(skip, skip if all_below else default)
        frames.set_code_exec_strategy(code, strategy)
    except Exception:
        pass  # before PyTorch 2.7: the compiler looks at the frame, and runs it as it is
