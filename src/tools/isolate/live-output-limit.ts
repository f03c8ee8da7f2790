// How much of what an isolated call shows while it runs goes through: counted inside it, and by its host, which believes nobody.

/** Characters of live output of a call. */
export const maxLiveChars = 262_144;
/** What each piece costs beside its characters: many small ones are a flood, too. */
const pieceChars = 16;

/** Gives how many characters of the next piece go through. */
export function createLiveMeter(): (chars: number) => number {
  let left = maxLiveChars;
  return (chars) => {
    const through = Math.max(0, Math.min(chars, left));
    left -= through + pieceChars;
    return through;
  };
}
