// The pipes of an outside agent as a stream of the SDK, bounded both ways.
//
// 1. A message that is too long, or an agent that does not read what it is told, ends the conversation: neither fills the host.
// 2. What the agent says of its session is heard here, in its order; the SDK's handlers hear it some ticks later, behind an answer.
// 3. What answers no question is dropped (the SDK would print a line for each), and so is what is said behind the answer to the prompt.
import { Readable, type Writable } from 'node:stream';
import { type AnyMessage, type AnyNotification, methods, ndJsonStream, type Stream } from '@agentclientprotocol/sdk';

/** Of one message from the agent: a file's diff fits. */
const maxMessageBytes = 8_388_608;
/** Of what the agent has been told and not read. */
const maxUnreadBytes = 1_048_576;

function bounded(stdin: Writable): WritableStream<Uint8Array> {
  return new WritableStream({
    write(bytes) {
      if (stdin.writableLength > maxUnreadBytes) throw new Error('it does not read what it is told');
      stdin.write(bytes); // not waited for: the bound above is on what waits
    },
  });
}

/** The agent has closed its output: there is nothing to wait for any more. */
export class OutputClosed extends Error {
  override readonly name = 'OutputClosed';
}

const isUpdate = (message: AnyMessage): message is AnyNotification =>
  'method' in message && message.method === methods.client.session.update && !('id' in message);

/** `onUpdate` gets the parameters of each `session/update`, unchecked. It must not throw. */
export function createWire(stdin: Writable, stdout: Readable, onUpdate: (params: unknown) => void): Stream {
  const input = Readable.toWeb(stdout) as ReadableStream<Uint8Array>;
  const { readable, writable } = ndJsonStream(bounded(stdin), input, { maxMessageBytes });
  const asked = new Map<unknown, string>();
  let isAnswered = false;
  const toAgent = writable.getWriter();
  return {
    writable: new WritableStream<AnyMessage>({
      write(message) {
        if ('method' in message && 'id' in message) asked.set(message.id, message.method);
        return toAgent.write(message);
      },
    }),
    readable: readable.pipeThrough(
      new TransformStream<AnyMessage, AnyMessage>({
        transform(message, controller) {
          if (isUpdate(message)) {
            if (!isAnswered) onUpdate(message.params);
          } else if ('method' in message) controller.enqueue(message);
          else if (asked.has(message.id)) {
            isAnswered = asked.get(message.id) === methods.agent.session.prompt;
            asked.delete(message.id);
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
