#!/usr/bin/env bash
# Makes the Python environment `.venv` with the pinned TensorFlow of tests/fixtures/requirements.txt, for the
# fixtures and the interop tests. Run again at will: an environment that is up to date is left alone.
# SAVEDMODEL_TF_PYTHON=<interpreter that can import tensorflow> uses that one instead and makes nothing.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
requirements="$root/tests/fixtures/requirements.txt"
venv="$root/.venv"
stamp="$venv/requirements.sha256"

tensorflow_version() {
  TF_CPP_MIN_LOG_LEVEL=3 "$1" -c 'import tensorflow; print(tensorflow.__version__)' 2>/dev/null
}

report() {
  echo "TensorFlow $2 is ready: $1"
}

# `python3 -m venv` exists on Debian without the ensurepip that it needs.
need_venv_module() {
  if python3 -c 'import ensurepip, venv' 2>/dev/null; then return; fi
  if [ "$(id -u)" != 0 ]; then
    echo "setup_tensorflow.sh: python3 has no venv module; install it (apt-get install python3-venv)" >&2
    exit 1
  fi
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq python3-venv >/dev/null
}

make_venv() {
  need_venv_module
  rm -rf "$venv"
  python3 -m venv "$venv"
  "$venv/bin/pip" install --quiet --disable-pip-version-check --no-deps --only-binary=:all: -r "$requirements"
  sha256sum < "$requirements" > "$stamp"
}

if [ -n "${SAVEDMODEL_TF_PYTHON:-}" ]; then
  if ! version=$(tensorflow_version "$SAVEDMODEL_TF_PYTHON"); then
    echo "setup_tensorflow.sh: SAVEDMODEL_TF_PYTHON=$SAVEDMODEL_TF_PYTHON cannot import tensorflow" >&2
    exit 1
  fi
  report "$SAVEDMODEL_TF_PYTHON" "$version"
  exit 0
fi

if ! [ -x "$venv/bin/python" ] || [ "$(sha256sum < "$requirements")" != "$(cat "$stamp" 2>/dev/null)" ]; then
  make_venv
fi
if ! version=$(tensorflow_version "$venv/bin/python"); then
  echo "setup_tensorflow.sh: the TensorFlow in $venv cannot be imported; remove the folder and try again" >&2
  exit 1
fi
report "$venv/bin/python" "$version"
