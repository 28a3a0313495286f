import { useId, useState } from 'react';
import { FieldFrame, frameProps } from '../objects/field-frame.tsx';
import type { ObjectForm } from '../objects/use-object-form.ts';

interface SecretFieldProps {
  readonly form: ObjectForm;
  /** In the draft and by the API. While the secret is there, the draft has the mark that stands for it. */
  readonly path: string;
  readonly label: string;
  readonly hint: string;
  /** How what is typed is sent. */
  readonly encode: (text: string) => string;
}

/** A secret of several lines that is only ever written: it is set, replaced or taken out, and never shown. */
export function SecretField({ form, path, label, hint, encode }: SecretFieldProps) {
  const id = useId();
  const [mark] = useState(() => form.value(path));
  const isSet = typeof mark === 'string' && mark !== '';
  const [mode, setMode] = useState<'kept' | 'typed' | 'removed'>(isSet ? 'kept' : 'typed');
  const [text, setText] = useState('');
  const problem = form.problemOf(path);
  const choose = (next: typeof mode): void => {
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
      <FieldFrame id={id} label={label} hint={mode === 'typed' ? hint : undefined} problem={problem}>
        {mode === 'typed' ? (
          <textarea
            {...frameProps(id, hint, problem)}
            className="field mono secret-text"
            rows={4}
            spellCheck={false}
            autoComplete="off"
            value={text}
            onBlur={() => form.touch(path)}
            onChange={({ currentTarget }) => change(currentTarget.value)}
          />
        ) : (
          <output {...frameProps(id, undefined, problem)} className="secret-state">
            {mode === 'kept' ? 'set' : 'will be taken out'}
          </output>
        )}
      </FieldFrame>
      {isSet && (
        <div className="button-line">
          {mode !== 'typed' && (
            <button type="button" className="link-button" onClick={() => choose('typed')}>
              Replace {label.toLowerCase()}
            </button>
          )}
          {mode === 'kept' && (
            <button type="button" className="link-button" onClick={() => choose('removed')}>
              Take {label.toLowerCase()} out
            </button>
          )}
          {mode !== 'kept' && (
            <button type="button" className="link-button" onClick={() => choose('kept')}>
              Keep {label.toLowerCase()} as it is
            </button>
          )}
        </div>
      )}
    </>
  );
}
