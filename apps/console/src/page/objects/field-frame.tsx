import type { ReactNode } from 'react';

interface FieldFrameProps {
  /** Of the control; its note has the id of `fieldNote`. */
  readonly id: string;
  readonly label: ReactNode;
  readonly hint: string | undefined;
  readonly problem: string | undefined;
  readonly children: ReactNode;
}

/** A control with its label, and below it what helps or what is wrong. */
export function FieldFrame({ id, label, hint, problem, children }: FieldFrameProps) {
  return (
    <div className="form-field">
      <label htmlFor={id}>{label}</label>
      {children}
      {problem === undefined ? (
        hint !== undefined && (
          <p id={noteId(id)} className="field-hint">
            {hint}
          </p>
        )
      ) : (
        <p id={noteId(id)} className="field-problem" role="alert">
          {problem}
        </p>
      )}
    </div>
  );
}

const noteId = (id: string): string => `${id}-note`;

/** What a control in a frame says about itself. */
export function frameProps(id: string, hint: string | undefined, problem: string | undefined) {
  return {
    id,
    'aria-invalid': problem !== undefined,
    'aria-describedby': problem === undefined && hint === undefined ? undefined : noteId(id),
  };
}
