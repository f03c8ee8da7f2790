// A fact as it can be written. What a stranger has put into it may be nothing that JSON knows: that must not cost the session its log.

const isWritable = (value: unknown): boolean => {
  try {
    JSON.stringify(value);
    return true;
  } catch {
    return false;
  }
};

/** The fact itself, or one in which a note stands for each field that cannot be written. */
export function writable<Fact extends object>(fact: Fact): Fact {
  if (isWritable(fact)) return fact;
  const fields = Object.entries(fact).map(([name, value]) => [name, isWritable(value) ? value : '[not writable]']);
  return Object.fromEntries(fields) as Fact;
}
