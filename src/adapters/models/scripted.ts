// A provider that plays a script inside the process, by the injected clock: for tests that wait for nothing.
import type { FailureCode } from '../../../machines/codes.ts';
import type { Json, MessageCall } from '../../../machines/messages.ts';
import { type Finish, noUsage, type Usage, unknownUsage } from '../../../machines/vocabulary.ts';
import type { ModelEnd, ModelRequest, ModelStream, Provider, ProviderCall } from '../../core/contracts/provider.ts';
import { raceAbort } from '../../core/sources/abort-signals.ts';
import { pause } from '../../core/sources/pause.ts';
import type { Clock } from '../../core/sources/sources.ts';
import { estimatedUsage } from './estimate-usage.ts';

export type Step =
  | { readonly text: string }
  | { readonly reasoning: string }
  | { readonly waitMs: number }
  /** A call that the provider itself runs. */
  | { readonly providerCall: ProviderCall }
  /** A whole call. */
  | { readonly call: MessageCall }
  | { readonly fail: FailureCode; readonly message?: string | undefined }
  /** No step follows: only a stop ends the response, and nothing ends one that ignores its signal. */
  | { readonly hang: true };

export interface Script {
  readonly steps: readonly Step[];
  /** The finish of the response. Left out: `tool_calls` or `stop`. */
  readonly finish?: Finish | undefined;
  /** The provider state of this response. */
  readonly state?: readonly Json[] | undefined;
  /** The usage that it reports. Left out: an estimate, as for an endpoint that sends none. */
  readonly usage?: { readonly input: number; readonly output: number } | undefined;
  /** Plays on after its signal has fired, and ends as if it had not. */
  readonly ignoresSignal?: boolean | undefined;
}

export interface ScriptedProvider extends Provider {
  /** Every request so far, in order. */
  readonly requests: readonly ModelRequest[];
}

export interface ScriptedProviderOptions {
  readonly clock: Clock;
  /** The name of the provider. Default: `scripted`. */
  readonly name?: string;
  /** Returns the script for a request; `n` is its number, from 0. */
  respond(request: ModelRequest, n: number): Script;
}

/** Creates a provider that answers each request by the script that `respond` returns for it. */
export function createScriptedProvider(options: ScriptedProviderOptions): ScriptedProvider {
  return new ScriptPlayer(options);
}

class ScriptPlayer implements ScriptedProvider {
  readonly name: string;
  readonly model = 'script';
  readonly requests: ModelRequest[] = [];
  readonly #options: ScriptedProviderOptions;

  constructor(options: ScriptedProviderOptions) {
    this.name = options.name ?? 'scripted';
    this.#options = options;
  }

  async stream(
    request: ModelRequest,
    { signal: given, onText, onReasoning, onCallInput, onProviderCall }: ModelStream,
  ): Promise<ModelEnd> {
    if (given.aborted) return { kind: 'stopped', calls: [], usage: noUsage };
    this.requests.push(request);
    const script = this.#options.respond(request, this.requests.length - 1);
    const { steps, usage: exact, ignoresSignal = false, state } = script;
    const signal = ignoresSignal ? new AbortController().signal : given;
    const calls: MessageCall[] = [];
    let chars = 0;
    const usage = (): Usage => (chars > 0 ? estimatedUsage(request, chars) : unknownUsage);

    for (const step of steps) {
      await this.#delay(step, signal);
      if (signal.aborted) return { kind: 'stopped', calls, usage: usage() };
      if ('text' in step) {
        chars += step.text.length;
        onText(step.text);
      } else if ('reasoning' in step) {
        chars += step.reasoning.length;
        onReasoning?.(step.reasoning);
      } else if ('providerCall' in step) {
        onProviderCall?.(step.providerCall);
      } else if ('call' in step) {
        chars += step.call.name.length + step.call.arguments.length;
        onCallInput?.({ position: calls.length, name: step.call.name, text: step.call.arguments });
        calls.push(step.call);
      } else if ('fail' in step) {
        return { kind: 'failed', code: step.fail, message: step.message ?? 'The script says so.', usage: usage() };
      }
    }
    const finish = script.finish ?? (calls.length > 0 ? 'tool_calls' : 'stop');
    return { kind: 'completed', finish, calls, usage: exact ? { kind: 'exact', ...exact } : usage(), state };
  }

  async #delay(step: Step, signal: AbortSignal): Promise<void> {
    if ('waitMs' in step) await pause(this.#options.clock, step.waitMs, signal);
    else if ('hang' in step) await raceAbort(new Promise<never>(() => {}), signal);
  }
}
