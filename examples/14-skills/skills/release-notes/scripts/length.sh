#!/usr/bin/env bash
# Prints the number of characters of its first argument.
printf '%s\n' "${#1}"
