// The keys that signed tokens are verified with, checked without jose, which is loaded later.
import { createPublicKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { JSONWebKeySet } from 'jose';
import { fieldsOf, namesOf } from '../../core/collections/fields.ts';
import { errorText } from '../../core/text/error-text.ts';
import { hintFor } from '../../core/text/option-names.ts';

/** The algorithms follow from the key: a token cannot choose to be checked in another way. */
export type JwtKey =
  /** HS256; at least 32 bytes. */
  | { readonly kind: 'secret'; readonly secret: string }
  /** A public key, PEM. */
  | { readonly kind: 'public_key'; readonly pem: string }
  /** A JSON Web Key Set of public keys. */
  | { readonly kind: 'key_set'; readonly keys: JSONWebKeySet };

const minSecretBytes = 32;

/** The fields of a key by its kind, with the type that each must have. */
const keyFields: Readonly<Record<JwtKey['kind'], readonly [string, 'string' | 'object']>> = {
  secret: ['secret', 'string'],
  public_key: ['pem', 'string'],
  key_set: ['keys', 'object'],
};

/** Throws when no token can be verified with the key; the error names the field that is wrong. */
export function assertJwtKey(key: JwtKey): void {
  assertFields(key);
  switch (key.kind) {
    case 'secret': {
      const bytes = Buffer.byteLength(key.secret);
      if (bytes >= minSecretBytes) return;
      throw new Error(`The secret for signed tokens has ${bytes} bytes; it must have at least ${minSecretBytes}.`);
    }
    case 'public_key':
      createPublicKey(key.pem);
      return;
    case 'key_set':
      if (!isKeySet(key.keys))
        throw new Error('The JSON Web Key Set for signed tokens has no list of key objects named "keys".');
  }
}

function assertFields(key: unknown): void {
  const fields = fieldsOf(key);
  const kind = String(fields['kind']);
  const kinds = namesOf(keyFields);
  const known = kinds.find((one) => one === kind);
  if (known === undefined) throw new RangeError(`key.kind is ${kind}. ${hintFor(kind, kinds)}`);
  const [name, type] = keyFields[known];
  const wrong = Object.keys(fields).find((field) => field !== 'kind' && field !== name);
  if (wrong !== undefined)
    throw new RangeError(`A key of the kind ${kind} has no field ${wrong}. ${hintFor(wrong, ['kind', name])}`);
  if (typeof fields[name] !== type)
    throw new RangeError(`key.${name} must be of type ${type}, not ${typeof fields[name]}.`);
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isKeySet = (value: unknown): boolean =>
  isObject(value) && 'keys' in value && Array.isArray(value.keys) && value.keys.every(isObject);

/** Reads a file with a public key (PEM) or a key set (JSON). Throws an error that names the file. */
export function readJwtKeyFile(path: string): JwtKey {
  try {
    const text = readFileSync(path, 'utf8');
    const key: JwtKey = text.includes('-----BEGIN')
      ? { kind: 'public_key', pem: text }
      : { kind: 'key_set', keys: JSON.parse(text) };
    assertJwtKey(key);
    return key;
  } catch (error) {
    throw new Error(
      `The key file ${path} holds neither a public key (PEM) nor a JSON Web Key Set: ${errorText(error)}`,
      {
        cause: error,
      },
    );
  }
}
