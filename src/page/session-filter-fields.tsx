// The fields that narrow the list of sessions: status, outcome, speaker, tool, cause and days.

import { useId } from 'react';
import { causeSources, outcomeKinds, sessionStatuses } from '../../machines/vocabulary.ts';
import { capitalize } from '../core/words/capitalize.ts';
import { lettersOf } from '../core/words/look-up.ts';
import { outcomeLabel } from '../core/words/receipt-words.ts';
import { statusTexts } from '../core/words/session-status.ts';
import { noFilters, type SessionFilters } from './page-state/session-filters.ts';

interface FilterFieldsProps {
  readonly filters: SessionFilters;
  readonly onChange: (filters: SessionFilters) => void;
}

/** The fields, folded away until they are wanted. */
export function SessionFilterFields({ filters, onChange }: FilterFieldsProps) {
  const { words, ...rest } = filters;
  const set = Object.values(rest).filter((text) => text !== '').length;
  const field = (name: keyof SessionFilters) => ({
    value: filters[name],
    onChange: (text: string) => onChange({ ...filters, [name]: text }),
  });
  return (
    <details className="filters">
      <summary>{set === 0 ? 'Filters' : `Filters (${set})`}</summary>
      <div className="filter-fields">
        <Choice name="Status" {...field('status')} options={sessionStatuses.map((one) => [one, statusTexts[one]])} />
        <Choice
          name="Outcome"
          {...field('outcome')}
          options={[...outcomeKinds.map((one) => [one, outcomeLabel(one)] as const), ['open', 'open'] as const]}
        />
        <Text name="Said by" {...field('speaker')} />
        <Text name="Tool" {...field('tool')} />
        <Choice name="Stopped by" {...field('cause')} options={causeSources.map((one) => [one, lettersOf(one)])} />
        <Text name="From" type="date" {...field('since')} />
        <Text name="Until" type="date" {...field('until')} />
        {set > 0 && (
          <button type="button" className="button button-small" onClick={() => onChange({ ...noFilters, words })}>
            Clear filters
          </button>
        )}
      </div>
    </details>
  );
}

interface FieldProps {
  readonly name: string;
  readonly value: string;
  readonly onChange: (text: string) => void;
}

function Text({ name, type = 'text', value, onChange }: FieldProps & { readonly type?: 'text' | 'date' }) {
  const id = useId();
  return (
    <>
      <label htmlFor={id}>{name}</label>
      <input id={id} className="field" type={type} value={value} onChange={(event) => onChange(event.target.value)} />
    </>
  );
}

function Choice({
  name,
  value,
  onChange,
  options,
}: FieldProps & { readonly options: readonly (readonly [string, string])[] }) {
  const id = useId();
  return (
    <>
      <label htmlFor={id}>{name}</label>
      <select id={id} className="field" value={value} onChange={(event) => onChange(event.target.value)}>
        <option value="">any</option>
        {options.map(([one, text]) => (
          <option key={one} value={one}>
            {capitalize(text)}
          </option>
        ))}
      </select>
    </>
  );
}
