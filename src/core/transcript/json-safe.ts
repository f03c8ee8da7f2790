// Makes a fact writable as JSON. Third-party code may have put values into it that JSON cannot represent; the session must not lose its log by them.

const isWritable = (value: unknown): boolean => {
  try {
    JSON.stringify(value);
    return true;
  } catch {
    return false;
  }
};

/** Returns the fact itself, or a copy in which a note stands for each field that cannot be written. */
export function writable<Fact extends object>(fact: Fact): Fact {
  if (isWritable(fact)) return fact;
  const fields = Object.entries(fact).map(([name, value]) => [name, isWritable(value) ? value : '[not writable]']);
  return Object.fromEntries(fields) as Fact; // a note may have another type than its field; the copy is only written
}
