// The words of messages in the index of a PostgreSQL log: they are put in after the messages, several together, as a search compares them.
import type { LogBody } from '../../../core/contracts/log.ts';
import { searchWords, withoutAccents } from '../../../core/text/search-words.ts';
import { wordyTypes } from './index-tables.ts';
import type { Transactions } from './transactions.ts';

/** Messages whose words are put in together. Fewer wait for the next search. */
const sliceMessages = 200;
/** Slices that a search waits for. */
const slicesOfSearch = 4;
/** The server takes words of 2 046 bytes, and 1 MiB of them for a message. */
const maxWordChars = 500;
const maxWordsBytes = 500_000;

interface Message extends LogBody {
  readonly text?: unknown;
  readonly title?: unknown;
}

/** Returns a word as it is compared: its beginning, without accents. A pair of surrogates is not cut apart: the server refuses half of one. */
const comparedWord = (word: string): string =>
  withoutAccents(word)
    .slice(0, maxWordChars)
    .replace(/[\ud800-\udbff]$/, '');

/** Returns the words of a message as they are compared. Of a very long message the last ones are left out. */
function wordsOf(body: string): readonly string[] {
  const { text, title } = JSON.parse(body) as Message; // a body that `append` has written
  const said = text ?? title;
  let bytes = 0;
  const words = new Set(typeof said === 'string' ? searchWords(said).map(comparedWord) : []);
  return [...words].filter((word) => {
    bytes += Buffer.byteLength(word) + 4;
    return word !== '' && bytes <= maxWordsBytes;
  });
}

/**
 * Returns the condition on the words of a message, as a `tsquery`: each is the beginning of one of them. A word has letters and digits alone; one that is an accent alone is left out:
 * the server refuses empty words.
 */
export const wordsQuery = (words: readonly string[]): string =>
  words
    .map(comparedWord)
    .filter((word) => word !== '')
    .map((word) => `'${word}':*`)
    .join(' & ');

export class SessionWords {
  readonly #transactions: Transactions;
  /** Messages that this host has appended since it has last put words in. */
  #added = 0;
  #state: 'idle' | 'indexing' = 'idle';

  constructor(transactions: Transactions) {
    this.#transactions = transactions;
  }

  /** To be called after a commit: puts words in, when there are enough of them. */
  onCommitted(events: readonly { readonly type: string }[]): void {
    for (const { type } of events) if (wordyTypes.includes(type)) this.#added++;
    if (this.#added < sliceMessages || this.#state === 'indexing') return;
    this.#added = 0;
    this.#state = 'indexing';
    const done = () => {
      this.#state = 'idle';
    };
    this.indexSlice().then(done, done); // the next search tries again
  }

  /** Puts in what a search may wait for. */
  async indexForSearch(): Promise<void> {
    for (let left = slicesOfSearch; left > 0 && (await this.indexSlice()); left--);
  }

  /** Resolves with whether there may be more. */
  indexSlice(): Promise<boolean> {
    return this.#transactions.run(async (client) => {
      const { rows: places } = await client.query<{ readonly place: string }>(
        'SELECT place::text AS place FROM said WHERE words IS NULL ORDER BY place LIMIT $1 FOR UPDATE SKIP LOCKED',
        [sliceMessages],
      );
      if (places.length === 0) return false;
      // a statement of its own: what was redacted before the rows were locked is read as it is now
      const { rows: messages } = await client.query<{ readonly place: string; readonly body: string }>(
        'SELECT said.place::text AS place, body FROM said JOIN events USING (session, seq) WHERE said.place = ANY($1::bigint[])',
        [places.map(({ place }) => place)],
      );
      await client.query(
        `UPDATE said SET words = array_to_tsvector(ARRAY(SELECT jsonb_array_elements_text(given.words::jsonb)))
         FROM unnest($1::bigint[], $2::text[]) AS given(place, words) WHERE said.place = given.place`,
        [messages.map(({ place }) => place), messages.map(({ body }) => JSON.stringify(wordsOf(body)))],
      );
      return places.length === sliceMessages;
    });
  }
}
