"""Loops that other frameworks run, whose cycles are known exactly; `sources.py NAME` runs one."""

import sys
import threading
import warnings


def torch():
    from torch import nn, optim, rand
    from torch.utils.data import DataLoader, TensorDataset

    model = nn.Sequential(nn.Linear(4, 3), nn.ReLU(), nn.Linear(3, 1))
    optimizer = optim.SGD(model.parameters(), 0.01)
    loader = DataLoader(TensorDataset(rand(64, 4), rand(64, 1)), batch_size=16)
    for _ in range(3):
        for x, y in loader:
            optimizer.zero_grad()
            ((model(x) - y) ** 2).mean().backward()
            optimizer.step()
        for x, _ in loader:
            model(x)
    for _ in loader:  # left in the middle: no pass
        break


def torch_others():
    """What looks at modules: the compilers, copies, pickles, and the program that meets an error in one."""
    import copy
    import inspect
    import pickle
    import traceback

    import torch

    class Bad(torch.nn.Module):
        def forward(self, x):
            raise ValueError("no")

    x = torch.rand(64, 4)
    model = torch.nn.Sequential(torch.nn.Linear(4, 3), torch.nn.ReLU(), torch.nn.Linear(3, 1))
    whole = torch.compile(model, backend="eager", fullgraph=True)
    for _ in range(3):
        whole(x)
    scripted = torch.jit.script(model)
    scripted(x)
    print(scripted.code, torch.fx.symbolic_trace(model).code, torch.export.export(model, (x,)).graph)
    print(type(pickle.loads(pickle.dumps(model))), type(copy.deepcopy(model)))
    print(inspect.signature(torch.nn.Module.__call__), torch.nn.Module.__call__.__qualname__)
    print(torch._dynamo.utils.counters["frames"], torch._dynamo.utils.counters["graph_break"])
    try:
        torch.nn.Sequential(Bad())(x)
    except ValueError:
        traceback.print_exc(file=sys.stdout)


def torch_breaks():
    """The compiler's graphs, where it meets frames of ours after a break."""
    import torch

    sizes = []

    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.first, self.second = torch.nn.Linear(4, 4), torch.nn.Linear(4, 4)

        def forward(self, x):
            x = self.first(x)
            torch._dynamo.graph_break()
            return self.second(x) + 1

    def backend(graph, examples):
        sizes.append(len(graph.graph.nodes))
        return graph.forward

    model = Model()

    @torch.compile(backend=backend)
    def run(x):
        return model(model(x)) * 2

    for _ in range(4):
        run(torch.rand(8, 4))
    print(sizes, torch._dynamo.utils.counters)


def jax():
    import jax
    import jax.numpy as jnp
    import nilometer

    double = jax.jit(lambda x: x * 2)
    for size in range(1, 6):
        double(jnp.ones(size))
        nilometer.cycle()
    print(type(double).__name__)


def jax_reasons():
    import functools

    import jax
    import jax.numpy as jnp

    @functools.partial(jax.jit, static_argnames="rate")
    def step(weights, batch, rate=1.0):
        return weights["w"] * batch.sum() * rate

    step({"w": 1.0}, jnp.ones(3))
    step({"w": 2.0}, jnp.ones(3))  # a number that is traced has no value
    step({"w": 2.0}, jnp.ones(4))
    step({"w": 2.0}, jnp.ones(4), rate=0.5)
    step({"w": jnp.ones(2), "v": 1}, jnp.ones(4), rate=0.5)
    step({"w": jnp.ones(2), "v": 1}, jnp.ones(4, "int32"), rate=0.5)
    for rate in (1, 2, 3):
        jax.jit(lambda x, rate=rate: x * rate)(jnp.ones(3))

    def twice(x, by):
        return jax.jit(jnp.sin)(x) * 2 * by  # compiled inside

    for by in (1, 2, 3):
        jax.jit(functools.partial(twice, by=by))(jnp.ones(3))

    class Model:
        @functools.partial(jax.jit, static_argnums=0)
        def call(self, x):
            return x + 1

    for _ in range(3):
        Model().call(jnp.ones(3))
    print(step({"w": 1.0}, jnp.ones(3)))


def lightning(package="lightning.pytorch"):
    import importlib
    import logging

    import torch

    logging.disable()
    warnings.simplefilter("ignore")
    pl = importlib.import_module(package)

    class Model(pl.LightningModule):
        def __init__(self):
            super().__init__()
            self.layer = torch.nn.Linear(4, 1)

        def training_step(self, batch, index):
            return self.layer(batch[0]).mean()

        validation_step = test_step = predict_step = training_step

        def configure_optimizers(self):
            return torch.optim.SGD(self.parameters(), 0.01)

    data = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(torch.rand(32, 4)), batch_size=8)
    quiet = dict(logger=False, enable_checkpointing=False, enable_progress_bar=False, accelerator="cpu",
                 enable_model_summary=False)  # fmt: skip
    trainer = pl.Trainer(max_epochs=3, **quiet)
    model = Model()
    trainer.fit(model, data, data)
    trainer.validate(model, data, verbose=False)
    trainer.test(model, data, verbose=False)
    trainer.predict(model, data)


def pytorch_lightning():
    lightning("pytorch_lightning")


def transformers():
    import contextlib
    import io
    import tempfile

    import torch
    from transformers import Trainer, TrainingArguments

    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = torch.nn.Linear(4, 1)

        def forward(self, x=None, labels=None):
            out = self.layer(x)
            return {"loss": ((out - labels) ** 2).mean(), "logits": out}

    data = [{"x": torch.rand(4), "labels": torch.rand(1)} for _ in range(32)]
    with tempfile.TemporaryDirectory() as folder:
        arguments = TrainingArguments(folder, num_train_epochs=3, report_to="none", save_strategy="no",
                                      eval_strategy="epoch", disable_tqdm=True, use_cpu=True)  # fmt: skip
        trainer = Trainer(Model(), arguments, train_dataset=data, eval_dataset=data)
        with contextlib.redirect_stdout(io.StringIO()):  # it prints how long it took
            trainer.train()
            trainer.evaluate()
            trainer.predict(data)


def gymnasium():
    import gymnasium as gym
    import numpy as np

    class Walk(gym.Env):
        observation_space = gym.spaces.Box(-1, 1, (1,))
        action_space = gym.spaces.Discrete(2)

        def reset(self, *, seed=None, options=None):
            super().reset(seed=seed)
            return np.zeros(1, np.float32), {}

        def step(self, action):
            return np.zeros(1, np.float32), 0.0, False, False, {}

    made = gym.wrappers.RecordEpisodeStatistics(gym.make("CartPole-v1"))
    for env in (Walk(), made, gym.wrappers.TimeLimit(Walk(), 5)):
        for _ in range(4):
            env.reset()
            env.step(0)


def optuna():
    import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    study = optuna.create_study()
    study.optimize(lambda trial: trial.suggest_float("x", 0, 1), n_trials=4)
    for _ in range(2):
        study.tell(study.ask(), 1.0)


def keras_tuner():
    import os
    import tempfile

    os.environ["KERAS_BACKEND"] = "tensorflow"
    import keras_tuner

    class Tuner(keras_tuner.RandomSearch):
        def run_trial(self, trial, *args, **kwargs):
            return trial.hyperparameters.Float("x", 0, 1)

    with tempfile.TemporaryDirectory() as folder:
        Tuner(max_trials=3, directory=folder).search(verbose=0)


def sklearn():
    import inspect
    import pickle
    import traceback

    import numpy as np
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.linear_model import LogisticRegression, SGDClassifier
    from sklearn.model_selection import GridSearchCV

    x, y = np.random.default_rng(0).random((40, 3)), np.arange(40) % 2
    for _ in range(3):
        GridSearchCV(LogisticRegression(), {"C": [1, 2]}, cv=2).fit(x, y)
    RandomForestClassifier(4).fit(x, y)
    model = SGDClassifier()
    for _ in range(4):
        model.partial_fit(x, y, classes=[0, 1])
    print(inspect.signature(LogisticRegression.fit), LogisticRegression.fit.__qualname__)
    print(type(pickle.loads(pickle.dumps(model))))
    try:
        LogisticRegression().fit(x, y[:3])
    except ValueError:
        traceback.print_exc(file=sys.stdout)


def celery():
    from celery import Celery

    app = Celery("app", broker="memory://", backend="cache+memory://")

    @app.task
    def add(a, b):
        return a / b

    for divisor in (1, 2, 0):
        add.apply((1, divisor))


def rq():
    import rq.worker

    class Worker(rq.worker.SimpleWorker):
        def __init__(self):
            pass

    class Nothing:
        """Stands for a job whose server is away: the worker fails at it, which is a task too."""

    for _ in range(3):
        try:
            Worker().perform_job(Nothing(), Nothing())
        except Exception as error:
            print(type(error).__name__)


def rq_forks():
    """The process that forks for each task: what it waits for is a task that ended."""
    import rq.worker

    class Worker(rq.worker.Worker):
        def __init__(self):
            pass

    for _ in range(3):
        try:
            Worker().monitor_work_horse(None, None, None)
        except Exception as error:
            print(type(error).__name__)


def shell():
    from IPython.core.interactiveshell import InteractiveShell

    shell = InteractiveShell.instance()
    shell.run_cell("x = 1", store_history=True)
    shell.run_cell("1 / 0", store_history=True)
    shell.run_cell("print(x)", store_history=True)
    shell.run_cell("x", silent=True)
    shell.run_cell("x")


def driver():
    """A program that runs a notebook in a kernel; what has no code is no cell."""
    import nbformat
    from nbclient import NotebookClient

    cells = [nbformat.v4.new_code_cell(text) for text in ("x = 1", "", "print(x)")]
    book = nbformat.v4.new_notebook(cells=[*cells, nbformat.v4.new_markdown_cell("some words")])
    client = NotebookClient(book, timeout=60, kernel_name="python3")
    client.execute()
    print(book.cells[2].outputs[0].text)
    with client.setup_kernel():
        client.execute_cell(cells[0], 0)
        client.execute_cell(cell=cells[2], cell_index=2)


def papermill():
    """Its client is nbclient's with a loop of its own."""
    import nbformat
    from papermill import execute_notebook

    cells = [nbformat.v4.new_code_cell(text) for text in ("x = 1", "print(x)")]
    metadata = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    nbformat.write(nbformat.v4.new_notebook(cells=cells, metadata=metadata), "in.ipynb")
    book = execute_notebook("in.ipynb", "out.ipynb", progress_bar=False)
    print(book.cells[1].outputs[0].text)


def threads():
    """A thread's calls are its own."""
    from torch import nn, rand

    model = nn.Linear(4, 4)
    loop = [threading.Thread(target=lambda: [model(rand(2, 4)) for _ in range(5)]) for _ in range(2)]
    for thread in loop:
        thread.start()
    for thread in loop:
        thread.join()


globals()[sys.argv[1]]()
