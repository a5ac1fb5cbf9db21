// A field for each placeholder of a query, with its type.

import { Input, Select } from '../../design/field.tsx';
import {
  EMPTY_VALUE,
  type ParameterKind,
  type TypedValue,
  typeInto,
  whyNotSent,
} from './parameters.ts';

interface ParameterFormProps {
  readonly placeholders: readonly string[];
  readonly values: Readonly<Record<string, TypedValue>>;
  readonly onChange: (values: Readonly<Record<string, TypedValue>>) => void;
}

const KINDS: readonly { readonly value: ParameterKind; readonly title: string }[] = [
  { value: 'text', title: 'text' },
  { value: 'number', title: 'number' },
  { value: 'boolean', title: 'true or false' },
  { value: 'date', title: 'date' },
  { value: 'list', title: 'list' },
  { value: 'null', title: 'null' },
];

export function ParameterForm({ onChange, placeholders, values }: ParameterFormProps) {
  if (placeholders.length === 0) return null;
  return (
    <fieldset class="parameters" aria-label="Parameters">
      {placeholders.map((name) => (
        <ParameterField
          key={name}
          name={name}
          value={values[name]}
          onChange={(value) => onChange({ ...values, [name]: value })}
        />
      ))}
    </fieldset>
  );
}

interface ParameterFieldProps {
  readonly name: string;
  /** Undefined until something is typed. */
  readonly value: TypedValue | undefined;
  readonly onChange: (value: TypedValue) => void;
}

function ParameterField({ name, onChange, value }: ParameterFieldProps) {
  const { kind, text } = value ?? EMPTY_VALUE;
  const isTyped = value !== undefined && text !== '';
  return (
    <div class="parameter">
      {kind === 'boolean' ? (
        <Select
          label={name}
          value={text === 'true' ? 'true' : 'false'}
          options={[
            { value: 'true', title: 'true' },
            { value: 'false', title: 'false' },
          ]}
          onChange={(next) => onChange({ kind, text: next, isChosen: true })}
        />
      ) : (
        <Input
          label={name}
          value={kind === 'null' ? 'null' : text}
          disabled={kind === 'null'}
          isMono
          error={isTyped ? whyNotSent(value) : undefined}
          onInput={(next) => onChange(typeInto(value ?? EMPTY_VALUE, next))}
        />
      )}
      <Select
        label="as"
        value={kind}
        options={KINDS}
        onChange={(next) =>
          onChange({ kind: next, text: next === 'boolean' ? 'true' : text, isChosen: true })
        }
      />
    </div>
  );
}
