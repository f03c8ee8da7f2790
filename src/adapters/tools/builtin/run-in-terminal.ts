// Runs the command of `shell` in a terminal of the session's client. The client's word ends it: a call whose client says nothing after a stop is abandoned.
import { addAbortListener } from 'node:events';
import type { ClientMachine, TerminalCommand } from '../../../core/contracts/client-machine.ts';
import { maxOutputChars, type ToolContext, type ToolEnd } from '../../../core/contracts/tool.ts';
import { errorText } from '../../../core/text/error-text.ts';
import { stoppedEnd } from '../../../core/tools/refusal.ts';

/** Characters of the output that are reserved for the notes at its end. */
const notesChars = 256;

/** Runs a command until the client says that it has ended. `command`: its folder exists, inside the roots. Never rejects. */
export async function runInTerminal(
  client: ClientMachine,
  command: Omit<TerminalCommand, 'outputBytes'>,
  { session, call, signal }: Pick<ToolContext, 'session' | 'call' | 'signal'>,
): Promise<ToolEnd> {
  if (signal.aborted) return stoppedEnd;
  const terminal = await client
    .startCommand(session, call, { ...command, outputBytes: maxOutputChars - notesChars })
    .catch((error: unknown) => failedTerminal(error));
  if ('kind' in terminal) return { ...terminal, effect: 'none' };
  try {
    using _stop = addAbortListener(signal, () => terminal.kill()); // also of a stop that came before
    const { exitCode, exitSignal } = await terminal.ended;
    const { text, isCut } = await terminal.output();
    terminal.release();
    const printed =
      text === '' ? [] : [`${isCut ? '[… the beginning is not kept …]\n' : ''}${text.replace(/\n$/, '')}`];
    if (signal.aborted) return { kind: 'stopped', output: printed.join('') };
    const how = exitSignal === null ? `exit code ${exitCode ?? 'unknown'}` : `ended by ${exitSignal}`;
    const output = [...printed, `[${how}]`].join('\n');
    if (exitCode === 0) return { kind: 'completed', output };
    const effect = exitCode === null ? {} : { effect: 'done' as const }; // it has run to its own end
    return { kind: 'failed', code: 'command_failed', message: how, output, ...effect };
  } catch (error) {
    return failedTerminal(error);
  }
}

function failedTerminal(error: unknown): ToolEnd {
  const message = `The terminal of the client has failed: ${errorText(error)}`;
  return { kind: 'failed', code: 'tool_failed', message, output: message };
}
