// Belay's own tools. Those that change files or run programs are included only if the configuration allows them.

import type { ClientMachine } from '../../../core/contracts/client-machine.ts';
import type { Tool } from '../../../core/contracts/tool.ts';
import { findCommandUser } from '../../processes/command-user.ts';
import { createAddressPolicy } from '../address-policy.ts';
import { findChromium } from '../browser/chromium.ts';
import { type Resolve, systemResolve } from '../checked-lookup.ts';
import { askUserTool } from './ask-user.ts';
import { browseTool } from './browse.ts';
import { type BuiltinLimits, builtinLimitsFrom } from './builtin-limits.ts';
import { cancelCallTool } from './cancel-call.ts';
import { fetchUrlTool } from './fetch-url.ts';
import { listFilesTool } from './list-files.ts';
import { readFileTool } from './read-file.ts';
import { runCodeTool } from './run-code.ts';
import { sessionStatusTool } from './session-status.ts';
import { shellTool } from './shell.ts';
import { writeFileTool } from './write-file.ts';

export interface BuiltinOptions {
  /** `write_file`. */
  readonly allowWrites?: boolean | undefined;
  /** `shell`, which may do whatever the host's user may. */
  readonly allowShell?: boolean | undefined;
  /** `run_code`, which may do as much as a shell. */
  readonly allowCode?: boolean | undefined;
  /** `browse`: a Chromium that is found on the host (see browser/chromium.ts), or the one at this path. */
  readonly allowBrowser?: boolean | { readonly program: string } | undefined;
  /** From TERM to KILL of a command or a browser, in milliseconds; 1 000 by default. Less than the runtime's `limits.toolCancelMs`. */
  readonly termGraceMs?: number | undefined;
  /** Variables of the host's environment that commands see, beyond the usual few (see process/environment.ts). */
  readonly passEnvironment?: readonly string[] | undefined;
  /**
   * Another user of this machine that commands and browsers run as: they can read neither the environment of this process nor its files. This
   * process needs the right to start and to signal processes of that user, as root has it.
   */
  readonly user?: string | undefined;
  /** Whether Chromium needs its sandbox: by default, as root and without `user`, a call of `browse` is refused. False: it runs without. */
  readonly browserSandbox?: boolean | undefined;
  /** Addresses and ranges (`10.0.0.0/8`) that `fetch_url` and `browse` may connect to although they are not public. */
  readonly allowAddresses?: readonly string[] | undefined;
  readonly resolve?: Resolve | undefined;
  readonly limits?: Partial<BuiltinLimits> | undefined;
  /** The machine of the sessions' client: its files are read and written, and commands of `shell` run in its terminals, as far as it offers them. Left out: this machine alone. */
  readonly client?: ClientMachine | undefined;
}

/**
 * Makes the allowed tools. Throws for a text that is no address or range, for a user that cannot be used, and a RangeError for a limit that
 * is wrong.
 */
export function builtinTools(options: BuiltinOptions = {}): readonly Tool[] {
  const { allowWrites = false, allowShell = false, allowCode = false, allowBrowser = false } = options;
  const { termGraceMs = 1_000, passEnvironment = [], resolve = systemResolve, client } = options;
  const limits = builtinLimitsFrom(options.limits);
  const addresses = createAddressPolicy(options.allowAddresses);
  const user = options.user === undefined ? undefined : findCommandUser(options.user);
  const commands = { limits, termGraceMs, passEnvironment, user };
  const browser = { limits, addresses, resolve, termGraceMs, user, mayOmitSandbox: options.browserSandbox === false };
  return [
    readFileTool(limits, client),
    listFilesTool(limits),
    fetchUrlTool({ limits, addresses, resolve }),
    ...(allowWrites ? [writeFileTool(limits, user, client)] : []),
    ...(allowShell ? [shellTool({ ...commands, client })] : []),
    ...(allowCode ? [runCodeTool(commands)] : []),
    ...(allowBrowser === false ? [] : [browseTool({ ...browser, program: programOf(allowBrowser) })]),
    sessionStatusTool(),
    askUserTool(),
    cancelCallTool(),
  ];
}

type ToolSwitch = Exclude<keyof BuiltinOptions & `allow${string}`, 'allowAddresses'>;
/** A switch that is missing here does not compile. */
const everything = {
  allowWrites: true,
  allowShell: true,
  allowCode: true,
  allowBrowser: { program: '' },
} satisfies { readonly [S in ToolSwitch]-?: BuiltinOptions[S] };

/** Returns the names of all tools, whatever is allowed. */
export const builtinNames = (): readonly string[] => builtinTools(everything).map(({ name }) => name);

const programOf = (allowed: true | { readonly program: string }) =>
  allowed === true ? findChromium() : allowed.program;
