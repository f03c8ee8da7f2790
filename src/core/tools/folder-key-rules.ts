// The rules for the keys of folders, as a program gives them: checked, and with their defaults.
import { type FolderKeyOptions, type FolderKeyRules, folderKeyScopes, keyScopes } from '../contracts/tool.ts';
import { assertOptions } from '../text/option-names.ts';

/** Returns the whole rules. Throws a RangeError that names the field with a wrong value. */
export function folderKeysFrom(setting: FolderKeyOptions = {}): FolderKeyRules {
  const rules = typeof setting === 'string' ? { reach: setting } : setting;
  assertOptions('keys', rules, { scope: 'text', reach: 'text' });
  return {
    scope: oneOf('keys.scope', folderKeyScopes, rules.scope ?? 'path'),
    reach: oneOf('keys.reach', keyScopes, rules.reach ?? 'session'),
  };
}

function oneOf<Value extends string>(field: string, values: readonly Value[], value: Value): Value {
  if (values.includes(value)) return value;
  throw new RangeError(`${field} must be ${values.join(' or ')}, not ${JSON.stringify(value)}.`);
}
