// A provider that reports once more after its response: a call that it runs itself is reported anew when the model call is over.
import type { ModelStream, Provider, ProviderCall } from '../../../src/core/contracts/provider.ts';

/** Returns the provider, which now reports late. */
export function reportLate(provider: Provider): Provider {
  return {
    ...provider,
    stream: async (request, stream) => {
      const calls: ProviderCall[] = [];
      const onProviderCall = (call: ProviderCall) => {
        calls.push(call);
        stream.onProviderCall?.(call);
      };
      const end = await provider.stream(
        request,
        Object.assign(Object.create(stream) as ModelStream, { onProviderCall }),
      );
      for (const call of calls) queueMicrotask(() => afterEnd(stream, call));
      return end;
    },
  };
}

/** Rounds of the microtask queue until the end of a response has been handled. */
const roundsOfEnd = 20;

function afterEnd(stream: ModelStream, call: ProviderCall, rounds = roundsOfEnd): void {
  if (rounds > 0) queueMicrotask(() => afterEnd(stream, call, rounds - 1));
  else stream.onProviderCall?.({ ...call, callId: `${call.callId} late` });
}
