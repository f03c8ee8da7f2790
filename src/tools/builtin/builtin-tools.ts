// The tools that Belay brings along. What can change or run things is there only where the configuration allows it.

import { createAddressPolicy } from '../address-policy.ts';
import { findChromium } from '../browser/chromium.ts';
import { type Resolve, systemResolve } from '../checked-lookup.ts';
import type { Tool } from '../tool.ts';
import { askUserTool } from './ask-user.ts';
import { browseTool } from './browse.ts';
import { type BuiltinLimits, builtinLimitsFrom } from './builtin-limits.ts';
import { cancelAgentTool } from './cancel-agent.ts';
import { fetchUrlTool } from './fetch-url.ts';
import { listFilesTool } from './list-files.ts';
import { readFileTool } from './read-file.ts';
import { runCodeTool } from './run-code.ts';
import { sessionStatusTool } from './session-status.ts';
import { shellTool } from './shell.ts';
import { writeFileTool } from './write-file.ts';

export interface BuiltinOptions {
  /** `write_file`. */
  readonly allowWrites?: boolean;
  /** `shell`: with it, everything that the host's user may do. */
  readonly allowShell?: boolean;
  /** `run_code`: no less than a shell. */
  readonly allowCode?: boolean;
  /** `browse`: a Chromium that is found on the host (see browser/chromium.ts), or the one at this path. */
  readonly allowBrowser?: boolean | { readonly program: string };
  /** From TERM to KILL of a command or a browser, in milliseconds; 1 000 by default. Less than the runtime's `limits.toolCancelMs`. */
  readonly termGraceMs?: number;
  /** Variables of the host's environment that commands see, beyond the usual few (see process/environment.ts). */
  readonly passEnvironment?: readonly string[];
  /** Addresses and ranges (`10.0.0.0/8`) that `fetch_url` and `browse` may connect to although they are not public. */
  readonly allowAddresses?: readonly string[];
  readonly resolve?: Resolve;
  readonly limits?: Partial<BuiltinLimits>;
}

/** Throws for an address or a range that is none, and a RangeError for a limit that is wrong. */
export function builtinTools(options: BuiltinOptions = {}): readonly Tool[] {
  const { allowWrites = false, allowShell = false, allowCode = false, allowBrowser = false } = options;
  const { termGraceMs = 1_000, passEnvironment = [], resolve = systemResolve } = options;
  const limits = builtinLimitsFrom(options.limits);
  const addresses = createAddressPolicy(options.allowAddresses);
  const commands = { limits, termGraceMs, passEnvironment };
  return [
    readFileTool(limits),
    listFilesTool(limits),
    fetchUrlTool({ limits, addresses, resolve }),
    ...(allowWrites ? [writeFileTool(limits)] : []),
    ...(allowShell ? [shellTool(commands)] : []),
    ...(allowCode ? [runCodeTool(commands)] : []),
    ...(allowBrowser === false
      ? []
      : [browseTool({ limits, addresses, resolve, termGraceMs, program: programOf(allowBrowser) })]),
    sessionStatusTool(),
    askUserTool(),
    cancelAgentTool(),
  ];
}

/** Of all of them, whatever is allowed. */
export const builtinNames = (): readonly string[] =>
  builtinTools({ allowWrites: true, allowShell: true, allowCode: true, allowBrowser: { program: '' } }).map(
    ({ name }) => name,
  );

const programOf = (allowed: true | { readonly program: string }) =>
  allowed === true ? findChromium() : allowed.program;
