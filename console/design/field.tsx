// Inputs with their labels, hints and errors.

import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { Icon, type IconName } from './icon.tsx';

interface InputProps {
  readonly value: string;
  readonly onInput: (value: string) => void;
  readonly label: string;
  readonly hint?: string;
  readonly error?: string | undefined;
  readonly type?: 'text' | 'password' | 'search' | 'number';
  readonly placeholder?: string;
  readonly autocomplete?: string;
  readonly isMono?: boolean;
  readonly hasFocus?: boolean;
  readonly disabled?: boolean;
}

/** A labelled line of text. */
export function Input({ error, hint, label, ...input }: InputProps) {
  const id = useId();
  const noteId = `${id}-note`;
  const note = error ?? hint;
  return (
    <div class="field">
      <label class="field-label" for={id}>
        {label}
      </label>
      <BareInput {...input} id={id} describedBy={note && noteId} isInvalid={error !== undefined} />
      {note !== undefined && (
        <span id={noteId} class={error === undefined ? 'field-hint' : 'field-error'}>
          {note}
        </span>
      )}
    </div>
  );
}

interface SearchProps extends Omit<InputProps, 'hint' | 'error' | 'type'> {
  readonly icon?: IconName;
}

/** A line of text whose label is only for screen readers, such as a filter above a list. */
export function SearchInput({ icon = 'search', label, ...input }: SearchProps) {
  return (
    <div class="input-group">
      <Icon name={icon} />
      <BareInput {...input} label={label} type="search" />
    </div>
  );
}

interface BareInputProps extends Omit<InputProps, 'label' | 'hint' | 'error'> {
  readonly id?: string;
  readonly label?: string;
  readonly describedBy?: string | undefined;
  readonly isInvalid?: boolean;
}

function BareInput(props: BareInputProps) {
  const { describedBy, hasFocus, id, isInvalid = false, isMono, label, onInput } = props;
  return (
    <input
      ref={hasFocus === true ? focus : null}
      id={id}
      class={isMono === true ? 'input mono' : 'input'}
      // The types of all kinds agree on what is used here.
      type={(props.type ?? 'text') as 'text'}
      value={props.value}
      placeholder={props.placeholder}
      autocomplete={props.autocomplete ?? 'off'}
      disabled={props.disabled}
      spellcheck={false}
      aria-label={label}
      aria-describedby={describedBy}
      aria-invalid={isInvalid ? 'true' : undefined}
      onInput={(event) => onInput(event.currentTarget.value)}
    />
  );
}

/** In a dialog that is not open yet, `autofocus` selects it. */
function focus(element: HTMLInputElement | null): void {
  if (element === null) return;
  element.autofocus = true;
  element.focus();
}

interface SelectProps<Value extends string> {
  readonly label: string;
  readonly hint?: string;
  readonly value: Value;
  readonly options: readonly { readonly value: Value; readonly title: string }[];
  readonly onChange: (value: Value) => void;
}

export function Select<Value extends string>(props: SelectProps<Value>) {
  const id = useId();
  const noteId = `${id}-note`;
  return (
    <div class="field">
      <label class="field-label" for={id}>
        {props.label}
      </label>
      <select
        id={id}
        class="select"
        value={props.value}
        aria-describedby={props.hint && noteId}
        // The options are the only possible values.
        onChange={(event) => props.onChange(event.currentTarget.value as Value)}
      >
        {props.options.map(({ title, value }) => (
          <option key={value} value={value}>
            {title}
          </option>
        ))}
      </select>
      {props.hint !== undefined && (
        <span id={noteId} class="field-hint">
          {props.hint}
        </span>
      )}
    </div>
  );
}

interface CheckProps {
  readonly checked: boolean;
  readonly onChange: (checked: boolean) => void;
  readonly children: ComponentChildren;
}

export function Check({ checked, children, onChange }: CheckProps) {
  return (
    <label class="check">
      <input
        type="checkbox"
        checked={checked}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
      <span>{children}</span>
    </label>
  );
}

interface SegmentsProps<Value extends string> {
  readonly label: string;
  readonly value: Value;
  readonly options: readonly { readonly value: Value; readonly title: string }[];
  readonly onChange: (value: Value) => void;
}

/** One choice of a few, all visible. */
export function Segments<Value extends string>(props: SegmentsProps<Value>) {
  return (
    <fieldset class="segments" aria-label={props.label}>
      {props.options.map(({ title, value }) => (
        <button
          key={value}
          type="button"
          class="segment"
          aria-pressed={value === props.value}
          onClick={() => props.onChange(value)}
        >
          {title}
        </button>
      ))}
    </fieldset>
  );
}
