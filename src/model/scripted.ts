// A provider that plays a script inside the process, by the injected clock: for tests that wait for nothing.
import type { FailureCode } from '../../machines/codes.ts';
import type { MessageCall } from '../../machines/messages.ts';
import { noUsage, type Usage, unknownUsage } from '../../machines/vocabulary.ts';
import { pause } from '../sources/pause.ts';
import type { Clock } from '../sources/sources.ts';
import { estimatedUsage } from './estimate-usage.ts';
import type { ModelEnd, ModelRequest, Provider } from './provider.ts';

export type Step =
  | { readonly text: string }
  | { readonly waitMs: number }
  /** The call is whole from here on. */
  | { readonly call: MessageCall }
  | { readonly fail: FailureCode; readonly message?: string }
  /** Nothing more comes: only a stop ends it, and nothing ends it where the script is deaf. */
  | { readonly hang: true };

export interface Script {
  readonly steps: readonly Step[];
  /** Left out: estimated, as of an endpoint that sends none. */
  readonly usage?: { readonly input: number; readonly output: number };
  /** Plays on after its signal has fired, and ends as if it had not. */
  readonly deaf?: boolean;
}

export interface ScriptedProvider extends Provider {
  /** Every request that was begun, in order. */
  readonly requests: readonly ModelRequest[];
}

export interface ScriptedProviderOptions {
  readonly clock: Clock;
  /** The script for the request with this number, from 0. */
  respond(request: ModelRequest, n: number): Script;
}

export function createScriptedProvider({ clock, respond }: ScriptedProviderOptions): ScriptedProvider {
  const requests: ModelRequest[] = [];
  return {
    name: 'scripted',
    requests,
    async stream(request, { signal, onText }): Promise<ModelEnd> {
      if (signal.aborted) return { kind: 'stopped', calls: [], usage: noUsage };
      requests.push(request);
      const { steps, usage: exact, deaf = false } = respond(request, requests.length - 1);
      const heard = deaf ? new AbortController().signal : signal;
      const calls: MessageCall[] = [];
      let chars = 0;
      const usage = (): Usage => (chars > 0 ? estimatedUsage(request, chars) : unknownUsage);

      for (const step of steps) {
        await ('waitMs' in step ? pause(clock, step.waitMs, heard) : 'hang' in step ? untilAborted(heard) : null);
        if (heard.aborted) return { kind: 'stopped', calls, usage: usage() };
        if ('text' in step) {
          chars += step.text.length;
          onText(step.text);
        } else if ('call' in step) {
          chars += step.call.name.length + step.call.arguments.length;
          calls.push(step.call);
        } else if ('fail' in step) {
          return { kind: 'failed', code: step.fail, message: step.message ?? 'The script says so.', usage: usage() };
        }
      }
      const finish = calls.length > 0 ? 'tool_calls' : 'stop';
      return { kind: 'completed', finish, calls, usage: exact ? { kind: 'exact', ...exact } : usage() };
    },
  };
}

function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
