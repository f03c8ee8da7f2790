// The pipes of an outside agent as a message stream of the SDK, with limits in both directions.
//
// 1. A message that is too long, or an agent that does not read its input, ends the conversation: neither can fill the memory of this process.
// 2. `session/update` is handled here, in order. The SDK calls its handlers some ticks later, after the response that follows the update.
// 3. Updates after the response to the prompt are dropped. So is a response to no request, for each of which the SDK would print a line.
// 4. While a session is loaded the agent repeats its history as updates: they are marked.
import { Readable, type Writable } from 'node:stream';
import { type AnyMessage, type AnyNotification, methods, ndJsonStream, type Stream } from '@agentclientprotocol/sdk';

/** Bytes of one message from the agent: a file's diff fits. */
const maxMessageBytes = 8_388_608;
/** Bytes sent to the agent that it has not read. */
const maxUnreadBytes = 1_048_576;

/** The agent has closed its output: no response can come any more. */
export class OutputClosed extends Error {
  override readonly name = 'OutputClosed';
}

/** Whether an update is new, or repeats the history of a session that is being loaded. */
export type UpdateOrigin = 'new' | 'history';

/** Opens the stream. `onUpdate` receives the parameters of each `session/update`, unchecked, and must not throw. */
export function openAgentStream(
  stdin: Writable,
  stdout: Readable,
  onUpdate: (params: unknown, origin: UpdateOrigin) => void,
): Stream {
  // Node's type of a web stream is not the global one, its objects are
  const input = Readable.toWeb(stdout) as ReadableStream<Uint8Array>;
  const { readable, writable } = ndJsonStream(limitedInput(stdin), input, { maxMessageBytes });
  const openRequests = new Map<unknown, string>();
  let hasPromptResponse = false;
  const toAgent = writable.getWriter();
  return {
    writable: new WritableStream<AnyMessage>({
      write(message) {
        if ('method' in message && 'id' in message) openRequests.set(message.id, message.method);
        return toAgent.write(message);
      },
    }),
    readable: readable.pipeThrough(
      new TransformStream<AnyMessage, AnyMessage>({
        transform(message, controller) {
          if (isUpdate(message)) {
            const isLoading = [...openRequests.values()].includes(methods.agent.session.load);
            if (!hasPromptResponse) onUpdate(message.params, isLoading ? 'history' : 'new');
          } else if ('method' in message) controller.enqueue(message);
          else if (openRequests.has(message.id)) {
            if (openRequests.get(message.id) === methods.agent.session.prompt) hasPromptResponse = true;
            openRequests.delete(message.id);
            controller.enqueue(message);
          }
        },
        flush(controller) {
          controller.error(new OutputClosed('it closed its output'));
        },
      }),
    ),
  };
}

const isUpdate = (message: AnyMessage): message is AnyNotification =>
  'method' in message && message.method === methods.client.session.update && !('id' in message);

/** Wraps the agent's stdin. The stream fails as soon as the agent leaves more than `maxUnreadBytes` unread. */
function limitedInput(stdin: Writable): WritableStream<Uint8Array> {
  return new WritableStream({
    write(bytes) {
      if (stdin.writableLength > maxUnreadBytes) throw new Error('it does not read what it is sent');
      stdin.write(bytes); // not awaited: the limit counts all bytes that the pipe has not passed on
    },
  });
}
