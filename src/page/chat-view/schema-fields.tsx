// The fields of a question that asks for values: one for each property of its schema.
import { type FormEvent, useId, useState } from 'react';
import type { AnswerValues } from '../../client/answer-options.ts';
import { writeOutHidden } from '../../core/text/printable.ts';
import { type AskedField, askedFields, valuesOf } from './asked-fields.ts';

interface SchemaFieldsProps {
  readonly schema: Readonly<Record<string, unknown>>;
  readonly isOff: boolean;
  readonly onAnswer: (values: AnswerValues) => void;
}

/** A form for the values of a question. */
export function SchemaFields({ schema, isOff, onAnswer }: SchemaFieldsProps) {
  const fields = askedFields(schema);
  const [texts, setTexts] = useState<Readonly<Record<string, string>>>({});
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!isOff) onAnswer(valuesOf(fields, texts));
  };
  return (
    <form className="question-form question-fields" onSubmit={submit}>
      {fields.map((field) => (
        <Field
          key={field.name}
          field={field}
          text={texts[field.name] ?? field.initial}
          isOff={isOff}
          onChange={(text) => setTexts({ ...texts, [field.name]: text })}
        />
      ))}
      <button type="submit" className="button button-main" aria-disabled={isOff}>
        Answer
      </button>
    </form>
  );
}

interface FieldProps {
  readonly field: AskedField;
  readonly text: string;
  readonly isOff: boolean;
  readonly onChange: (text: string) => void;
}

function Field({ field, text, isOff, onChange }: FieldProps) {
  const id = useId();
  const { title, description, choices, kind, isRequired } = field;
  return (
    <div>
      <label className="label" htmlFor={id}>
        {writeOutHidden(title)}
        {isRequired ? '' : ' (optional)'}
      </label>
      {choices.length > 0 ? (
        <select
          id={id}
          className="field"
          value={text}
          disabled={isOff}
          onChange={(event) => onChange(event.target.value)}
        >
          <option value="">choose</option>
          {choices.map((choice) => (
            <option key={choice} value={choice}>
              {writeOutHidden(choice)}
            </option>
          ))}
        </select>
      ) : (
        <input
          id={id}
          className="field"
          type={kind === 'number' ? 'number' : 'text'}
          step="any"
          required={isRequired}
          readOnly={isOff}
          value={text}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
      {description !== '' && <p className="soft small">{writeOutHidden(description)}</p>}
    </div>
  );
}
