// Connects the page to the client: plain JavaScript, no build step, no framework.
import { createClient, NotConnected } from '@belay/runtime/client';

/**
 * @param {{ url: string, session: string, show: (what: 'state' | 'text' | 'end', value: string) => void }} options
 *   `show` receives the state of the connection, the text of the reply so far, and the outcome of the turn.
 */
export function createChat({ url, session: name, show }) {
  const client = createClient({ url, reconnect: { minMs: 50, maxMs: 2_000 } });
  const session = client.session(name);
  let turn = null;

  show('state', client.state.kind);
  client.on('state', (state) => show('state', state.kind));

  return {
    /** Resolves when the turn is over, however it ends. */
    async say(words) {
      turn = session.say(words);
      let text = '';
      try {
        for await (const event of turn) {
          if (event.type === 'text_delta') text += event.text;
          if (event.type === 'model_ended') text = event.text; // the whole of it, also when it was cut off
          if (event.type === 'text_delta' || event.type === 'model_ended') show('text', text);
          if (event.type === 'turn_ended' && event.turn === turn.id) show('end', event.outcome);
        }
      } catch (error) {
        show('end', error instanceof NotConnected ? 'not sent: there is no connection' : error.message);
      }
    },
    /** Resolves with what became of each node; null where nothing was stopped. */
    stop: () => turn?.cancel({ reason: 'the stop button' }).settled ?? null,
    close: () => client.close(),
  };
}
