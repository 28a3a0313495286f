import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import type { Complete, Completion } from './completion.ts';

interface CompletedFieldProps {
  readonly label: string;
  readonly hint: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly complete: Complete;
  /** Enter, when no completion is chosen. */
  readonly onEnter?: (() => void) | undefined;
  /** When somebody comes to type. */
  readonly onFocus?: (() => void) | undefined;
  readonly isMono?: boolean | undefined;
  readonly isInvalid?: boolean | undefined;
  /** The element that says more about it. */
  readonly describedBy?: string | undefined;
}

/**
 * A line of text with completions while it is typed. Arrows choose one, Enter or a click takes the chosen one, Tab the first; Escape closes the list and
 * then leaves the field. Nothing is chosen beforehand: Enter means what it says.
 */
export function CompletedField(props: CompletedFieldProps) {
  const { label, hint, value, onChange, complete, onEnter, onFocus, isMono = false, isInvalid = false, describedBy } = props;
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const caretAfter = useRef<number>(undefined);
  const [caret, setCaret] = useState(0);
  const [isOpen, setOpen] = useState(false);
  const [chosen, setChosen] = useState(-1);
  const found = isOpen ? complete(value, caret) : undefined;
  const options = found?.options ?? [];
  const isListOpen = options.length > 0;

  useEffect(() => {
    if (caretAfter.current === undefined) return;
    input.current?.setSelectionRange(caretAfter.current, caretAfter.current);
    caretAfter.current = undefined;
  });

  const close = (): void => {
    setOpen(false);
    setChosen(-1);
  };
  const take = ({ insert }: Completion): void => {
    if (found === undefined) return;
    onChange(value.slice(0, found.from) + insert + value.slice(found.to));
    caretAfter.current = found.from + insert.length;
    setCaret(caretAfter.current);
    setChosen(-1);
  };
  const press = (event: KeyboardEvent<HTMLInputElement>): void => {
    const option = options[chosen];
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      setCaret(event.currentTarget.selectionStart ?? value.length);
      setOpen(true);
      if (!isListOpen) return;
      const step = event.key === 'ArrowDown' ? 1 : -1;
      setChosen(chosen === -1 && step === -1 ? options.length - 1 : (chosen + step + options.length) % options.length);
    } else if (event.key === 'Enter') {
      if (isListOpen && option !== undefined) return take(option);
      close();
      onEnter?.();
    } else if (event.key === 'Tab' && isListOpen && !event.shiftKey) {
      const [first] = options;
      const taken = option ?? first;
      if (taken === undefined) return;
      event.preventDefault();
      take(taken);
    } else if (event.key === 'Escape') {
      if (isListOpen) close();
      else event.currentTarget.blur();
    }
  };

  return (
    <>
      <input
        ref={input}
        className={isMono ? 'field mono' : 'field'}
        type="text"
        role="combobox"
        aria-label={label}
        aria-expanded={isListOpen}
        aria-controls={`${id}-list`}
        aria-autocomplete="list"
        aria-activedescendant={isListOpen && chosen >= 0 ? `${id}-${chosen}` : undefined}
        aria-invalid={isInvalid}
        aria-describedby={describedBy}
        placeholder={hint}
        autoComplete="off"
        spellCheck={false}
        value={value}
        onChange={({ currentTarget }) => {
          setCaret(currentTarget.selectionStart ?? currentTarget.value.length);
          setOpen(true);
          setChosen(-1);
          onChange(currentTarget.value);
        }}
        onFocus={onFocus}
        onBlur={close}
        onKeyDown={press}
      />
      <div id={`${id}-list`} className="search-results" role="listbox" aria-label="Completions" hidden={!isListOpen}>
        {options.map((option, index) => (
          <div
            key={option.insert}
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === chosen}
            tabIndex={-1}
            className="search-hit"
            // The field would lose the focus, and the list its reason to be there, before the click.
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => take(option)}
            onMouseEnter={() => setChosen(index)}
          >
            <span className={isMono ? 'mono' : undefined}>{option.label ?? option.insert}</span>
            {option.note !== undefined && <span className="dim completion-note">{option.note}</span>}
          </div>
        ))}
      </div>
    </>
  );
}
