#!/usr/bin/env node
import { startProcess } from "./start-process.ts";

await startProcess(process.argv.slice(2));
