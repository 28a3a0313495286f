import { useEffect, useId, useMemo, useState } from 'react';
import type { KnownValues } from '../../../api-field.ts';
import { fieldKeys } from '../../../filter/object-filter.ts';
import { isExpression, unknownKeyHint } from '../../../filter/terms.ts';
import type { ApiError } from '../../api/api-error.ts';
import { completeObjects } from '../../filter/complete-objects.ts';
import { CompletedField } from '../../filter/completed-field.tsx';
import { useFilterFields } from '../../filter/use-object-filter.ts';
import { FieldProblem } from '../field-frame.tsx';

interface ServerFilterProps {
  readonly label: string;
  /** Examples of what to type. */
  readonly hint: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  /** What the API says against it. */
  readonly problem: ApiError | undefined;
  /** What it filters, as the API calls it: `private.v1.Host`. */
  readonly message: string;
  /** Texts that occur, for the completions. */
  readonly known?: KnownValues | undefined;
  /** Filters worth a click: words -> filter. */
  readonly examples?: Readonly<Record<string, string>> | undefined;
}

/** An expression in the middle of being written is seldom right: it is sent after a pause, or at once by Enter. */
const typingDelayMs = 600;

const nothingKnown: KnownValues = {};

/** Narrows a list down by words, `key:value` or the API's own language, with completions; the API's own word on what is wrong stands below. */
export function ServerFilter(props: ServerFilterProps) {
  const { label, hint, value, onChange, problem, message, known = nothingKnown, examples = {} } = props;
  const id = useId();
  const [isTyping, setTyping] = useState(false);
  const fields = useFilterFields(message, isTyping || (value !== '' && !isExpression(value)));
  const complete = useMemo(() => completeObjects(fields, known), [fields, known]);
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  useEffect(() => {
    // An expression that can be completed is not finished: the API would only refuse it.
    const isUnfinished = isExpression(text) && complete(text, text.length) !== undefined;
    if (text === value || isUnfinished) return;
    const timer = window.setTimeout(() => onChange(text), typingDelayMs);
    return () => window.clearTimeout(timer);
  }, [text, value, onChange, complete]);
  const refusal = problem?.code === 'invalid_argument' ? refusalIn(problem) : undefined;
  const keyHint = fields.length === 0 ? undefined : unknownKeyHint(value, [...fieldKeys(fields).keys()]);
  return (
    <div className="server-filter">
      <div className="filter-box">
        <CompletedField
          label={label}
          hint={hint}
          value={text}
          onChange={setText}
          complete={complete}
          onEnter={() => onChange(text)}
          onFocus={() => setTyping(true)}
          isInvalid={refusal !== undefined}
          describedBy={`${id}-note`}
        />
      </div>
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
          <FieldProblem problem={refusal} />
        )}
        {keyHint !== undefined && <p className="filter-hint">{keyHint}</p>}
      </div>
    </div>
  );
}

/** The API says which parameter it is about; here that goes without saying. */
function refusalIn({ violations, message }: ApiError): string {
  const [own] = violations.filter(({ field }) => field === 'filter');
  return own?.description ?? message;
}
