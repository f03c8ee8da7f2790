// The beginning of a conversation: what to say first, and how to put in a real model.

/** What the script knows, and what one says to a model. */
const suggestions = { scripted: ['research this and run the build', 'hello'], real: ['What can you do here?'] };

/** Suggests what to say. `onSay`: says it. */
export function Suggestions({ onSay }: { readonly onSay: (text: string) => unknown }) {
  return (
    <section className="hello">
      <h2>Say something. You can stop all of it.</h2>
      <p className="soft">
        Every turn, tool and sub-agent shows here while it runs, each with a button that stops it. Escape stops your
        turn. A receipt says what became of each.
      </p>
      <ul className="suggestions">
        {suggestions[isScripted() ? 'scripted' : 'real'].map((text) => (
          <li key={text}>
            <button type="button" className="suggestion" onClick={() => onSay(text)}>
              Say: <strong>{text}</strong>
            </button>
          </li>
        ))}
      </ul>
      {isScripted() && (
        <p className="soft small">
          A script plays the model, and its tools really run. For a real model start the gateway with{' '}
          <code>OPENAI_API_KEY=… npm start</code>, or with <code>OPENAI_BASE_URL</code> and <code>BELAY_MODEL</code> for
          another endpoint.
        </p>
      )}
    </section>
  );
}

/** Whether a script plays the model: the gateway has said so in the page. */
const isScripted = (): boolean =>
  document.querySelector('meta[name="belay-model"]')?.getAttribute('content') === 'scripted';
