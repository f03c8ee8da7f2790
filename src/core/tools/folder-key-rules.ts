// Checks the rules for the keys of folders, adds their defaults, and makes the key of a call comparable by them.
import {
  type ExclusiveKey,
  type FolderKeyOptions,
  type FolderKeyRules,
  folderKeyScopes,
  type KeyScope,
  keyScopes,
} from '../contracts/tool.ts';
import { assertOptions } from '../text/option-names.ts';
import { outermostFolder, realFolder } from './folders.ts';
import type { ComparedKey } from './keys.ts';

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

/** The session of a call, with the rules for its keys. */
export interface KeyPlace {
  readonly session: string;
  readonly roots: readonly string[];
  readonly folderKeys: FolderKeyRules;
}

/** Returns the key of a call for comparison. */
export function comparedKey(key: ExclusiveKey, { session, roots, folderKeys }: KeyPlace): ComparedKey {
  const spaceOf = (reach: KeyScope) => (reach === 'host' ? 'host' : `session:${session}`);
  if (!('folder' in key)) return { space: spaceOf(key.scope), kind: 'name', value: key.name };
  const folder = realFolder(key.folder);
  const value = folderKeys.scope === 'path' ? folder : (outermostFolder(roots, folder) ?? folder);
  return { space: spaceOf(folderKeys.reach), kind: 'folder', value };
}
