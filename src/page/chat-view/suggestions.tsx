// The beginning of a conversation: what to say first, and how to put in a real model.

const suggestions = ['research this and run the build', 'hello'];

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
        {suggestions.map((text) => (
          <li key={text}>
            <button type="button" className="suggestion" onClick={() => onSay(text)}>
              Say: <strong>{text}</strong>
            </button>
          </li>
        ))}
      </ul>
      <p className="soft small">
        Without a model of your own a script plays one, and its tools really run. For a real model start the gateway
        with <code>OPENAI_API_KEY=… npm start</code>, or with <code>OPENAI_BASE_URL</code> and <code>BELAY_MODEL</code>{' '}
        for another endpoint.
      </p>
    </section>
  );
}
