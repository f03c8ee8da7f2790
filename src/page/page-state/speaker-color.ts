// The color of a speaker: the same in every tab and at every visit. It stands beside the name, never alone.

/** Colors that styles/chat.css has (`data-speaker-color`). */
export const speakerColors = 8;

/** Returns the number of the color of a speaker. Two speakers may share one. */
export function speakerColor(name: string): number {
  let hash = 0x811c9dc5; // FNV-1a
  for (const char of name) hash = Math.imul(hash ^ (char.codePointAt(0) ?? 0), 0x01000193);
  return (hash >>> 8) % speakerColors;
}
