//! Packages that are nobody's own, wherever they lie: on `PYTHONPATH`, in a checkout, beside the script. Frameworks, and what is
//! installed along with them: `pip install --target /opt/deps keras` puts all of it into one folder.
//!
//! A name is here only where nobody would call a package of one's own so. `lightning`, `datasets` and `evaluate` are missing for
//! that reason. A team that does work on one of these says so: `--own keras`.

/// Names of top-level packages, sorted.
pub const FRAMEWORKS: [&str; 90] = [
    "IPython",
    "PIL",
    "absl",
    "aiohttp",
    "astunparse",
    "catboost",
    "celery",
    "cloudpickle",
    "cupy",
    "cv2",
    "dask",
    "deepspeed",
    "diffusers",
    "dill",
    "django",
    "fastapi",
    "filelock",
    "flask",
    "flatbuffers",
    "flax",
    "fsspec",
    "gast",
    "grpc",
    "gunicorn",
    "gymnasium",
    "h5py",
    "huggingface_hub",
    "ipykernel",
    "jax",
    "jaxlib",
    "jinja2",
    "joblib",
    "keras",
    "keras_cv",
    "keras_hub",
    "keras_nlp",
    "keras_tuner",
    "lightgbm",
    "matplotlib",
    "ml_dtypes",
    "mlflow",
    "mpmath",
    "namex",
    "networkx",
    "numba",
    "numpy",
    "opt_einsum",
    "optax",
    "optree",
    "optuna",
    "orbax",
    "pandas",
    "psutil",
    "pyarrow",
    "pydantic",
    "pygments",
    "pytorch_lightning",
    "requests",
    "rich",
    "safetensors",
    "scipy",
    "sentence_transformers",
    "sklearn",
    "sqlalchemy",
    "stable_baselines3",
    "starlette",
    "sympy",
    "tensorboard",
    "tensorflow",
    "tensorflow_datasets",
    "tensorflow_probability",
    "tensorstore",
    "termcolor",
    "tf_keras",
    "timm",
    "torch",
    "torchaudio",
    "torchvision",
    "tornado",
    "tqdm",
    "transformers",
    "treescope",
    "triton",
    "urllib3",
    "uvicorn",
    "wandb",
    "werkzeug",
    "wrapt",
    "xgboost",
    "yaml",
];

#[cfg(test)]
mod tests {
    use super::FRAMEWORKS;

    #[test]
    fn each_name_stands_there_once_and_in_order() {
        let mut sorted = FRAMEWORKS.to_vec();
        sorted.sort_unstable();
        sorted.dedup();
        assert_eq!(sorted, FRAMEWORKS);
    }
}
