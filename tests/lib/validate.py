#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""usage: validate.py SCHEMA FILE...: is each file JSON that the schema (draft 2020-12) allows? Status 1 when one is not."""
import json
import sys

import jsonschema

with open(sys.argv[1], encoding="utf-8") as file:
    schema = json.load(file)
jsonschema.Draft202012Validator.check_schema(schema)
validator = jsonschema.Draft202012Validator(schema)
bad = 0
for path in sys.argv[2:]:
    with open(path, encoding="utf-8") as file:
        errors = list(validator.iter_errors(json.load(file)))
    for error in errors[:5]:
        print(f"{path}: {'/'.join(map(str, error.absolute_path))}: {error.message[:300]}")
    bad += bool(errors)
sys.exit(1 if bad else 0)
