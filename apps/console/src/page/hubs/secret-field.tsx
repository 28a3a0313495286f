import { useState } from 'react';
import type { ObjectForm } from '../objects/use-object-form.ts';
import { FieldFrame } from '../parts/field-frame.tsx';

export interface SecretFieldProps {
  readonly form: ObjectForm;
  /** In the draft and by the API. While the secret is there, the draft has the mark that stands for it. */
  readonly path: string;
  readonly label: string;
  readonly hint: string;
  /** How what is typed is sent. */
  readonly encode: (text: string) => string;
}

type Mode = 'kept' | 'typed' | 'removed';

// what can be done with a secret that is set, and while it is in which mode
const wishes: readonly { readonly next: Mode; readonly at: readonly Mode[]; readonly words: (secret: string) => string }[] = [
  { next: 'typed', at: ['kept', 'removed'], words: (secret) => `Replace ${secret}` },
  { next: 'removed', at: ['kept'], words: (secret) => `Remove ${secret}` },
  { next: 'kept', at: ['typed', 'removed'], words: (secret) => `Keep ${secret}` },
];

/** A secret of several lines that is only ever written: it is set, replaced or taken out, and never shown. */
export function SecretField({ form, path, label, hint, encode }: SecretFieldProps) {
  const [mark] = useState(() => form.value(path));
  const isSet = typeof mark === 'string' && mark !== '';
  const [mode, setMode] = useState<Mode>(isSet ? 'kept' : 'typed');
  const [text, setText] = useState('');

  const choose = (next: Mode): void => {
    setMode(next);
    setText('');
    form.set(path, next === 'removed' ? undefined : mark);
  };
  const change = (typed: string): void => {
    setText(typed);
    form.set(path, typed === '' ? mark : encode(typed));
  };
  return (
    <>
      <FieldFrame label={label} hint={mode === 'typed' ? hint : undefined} problem={form.problemOf(path)}>
        {({ autoComplete, ...control }) =>
          mode === 'typed' ? (
            <textarea
              {...control}
              autoComplete={autoComplete}
              className="field mono secret-text"
              rows={4}
              value={text}
              onBlur={() => form.touch(path)}
              onChange={({ currentTarget }) => change(currentTarget.value)}
            />
          ) : (
            <output {...control} className="secret-state">
              {mode === 'kept' ? 'set' : 'will be removed'}
            </output>
          )
        }
      </FieldFrame>
      {isSet && (
        <div className="button-line">
          {wishes
            .filter(({ at }) => at.includes(mode))
            .map(({ next, words }) => (
              <button key={next} type="button" className="link-button" onClick={() => choose(next)}>
                {words(label.toLowerCase())}
              </button>
            ))}
        </div>
      )}
    </>
  );
}
