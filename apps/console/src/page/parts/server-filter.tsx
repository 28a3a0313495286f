import { useEffect, useId, useState } from 'react';
import type { ApiError } from '../api/api-error.ts';

interface ServerFilterProps {
  readonly label: string;
  /** An example in the API's filter language. */
  readonly hint: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  /** What the API says against it. */
  readonly problem: ApiError | undefined;
  /** Filters worth a click: words -> filter. */
  readonly examples?: Readonly<Record<string, string>>;
}

/** An expression in the middle of being written is seldom right: it is sent after a pause, or at once by Enter. */
const typingPauseMs = 600;

/** Narrows a list down in the API's own language; the API's own word on what is wrong stands below. */
export function ServerFilter({ label, hint, value, onChange, problem, examples = {} }: ServerFilterProps) {
  const id = useId();
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  useEffect(() => {
    if (text === value) return;
    const timer = window.setTimeout(() => onChange(text), typingPauseMs);
    return () => window.clearTimeout(timer);
  }, [text, value, onChange]);
  const refusal = problem?.code === 'invalid_argument' ? refusalIn(problem) : undefined;
  return (
    <div className="server-filter">
      <input
        className="field mono filter-field"
        type="text"
        aria-label={label}
        aria-invalid={refusal !== undefined}
        aria-describedby={`${id}-note`}
        placeholder={hint}
        autoComplete="off"
        spellCheck={false}
        value={text}
        onChange={({ currentTarget }) => setText(currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter') onChange(text);
          else if (event.key === 'Escape') event.currentTarget.blur();
        }}
      />
      <div id={`${id}-note`} className="filter-note">
        {refusal === undefined ? (
          Object.entries(examples).map(([words, filter]) => (
            <button
              key={words}
              type="button"
              className="link-button"
              aria-pressed={value === filter}
              title={filter}
              onClick={() => onChange(value === filter ? '' : filter)}
            >
              {words}
            </button>
          ))
        ) : (
          <p className="field-problem" role="alert">
            {refusal}
          </p>
        )}
      </div>
    </div>
  );
}

/** The API says which parameter it is about; here that goes without saying. */
function refusalIn({ violations, message }: ApiError): string {
  const [own] = violations.filter(({ field }) => field === 'filter');
  return own?.description ?? message;
}
