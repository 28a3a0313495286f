import { type ReactNode, useId } from 'react';

interface FieldFrameProps {
  readonly label: ReactNode;
  readonly hint?: ReactNode;
  readonly problem?: string | undefined;
  readonly isCheck?: boolean | undefined;
  readonly isRequired?: boolean | undefined;
  /** The control, with what ties it to its label and its note. */
  readonly children: (control: ReturnType<typeof controlProps> & { readonly 'aria-required': true | undefined }) => ReactNode;
}

/** A control with its label, and below it what helps or what is wrong. */
export function FieldFrame({ label, hint, problem, isCheck = false, isRequired = false, children }: FieldFrameProps) {
  const id = useId();
  const hasNote = problem !== undefined || hint !== undefined;
  return (
    <div className={`form-field${isCheck ? ' form-check' : ''}`}>
      <label htmlFor={id}>
        {label}
        {isRequired && <RequiredMark />}
      </label>
      {children({ ...controlProps(id, problem, hasNote), 'aria-required': isRequired || undefined })}
      {problem === undefined && hasNote && (
        <p id={`${id}-note`} className="field-hint">
          {hint}
        </p>
      )}
      <FieldProblem id={`${id}-note`} problem={problem} />
    </div>
  );
}

const controlProps = (id: string, problem: string | undefined, hasNote: boolean) => ({
  id,
  'aria-invalid': problem !== undefined,
  'aria-describedby': hasNote ? `${id}-note` : undefined,
  autoComplete: 'off',
  spellCheck: false,
});

/** Told by `aria-required` to those who do not see it. */
function RequiredMark() {
  return (
    <span className="required-mark" aria-hidden="true">
      {' '}
      *
    </span>
  );
}

interface FieldProblemProps {
  readonly id?: string | undefined;
  /** Nothing is shown without one. */
  readonly problem: string | undefined;
  readonly layout?: string | undefined;
}

/** What is wrong, read out as soon as it is there. */
export function FieldProblem({ id, problem, layout = '' }: FieldProblemProps) {
  if (problem === undefined) return null;
  return (
    <p id={id} className={`field-problem ${layout}`} role="alert">
      {problem}
    </p>
  );
}

interface ChoicesProps {
  /** value -> words */
  readonly choices: Readonly<Record<string, string>>;
  /** What is chosen now: listed even when it is none of the choices. */
  readonly value: string;
}

/** The options of a select. */
export function Choices({ choices, value }: ChoicesProps) {
  const listed = value === '' || value in choices ? choices : { [value]: value, ...choices };
  return Object.entries(listed).map(([choice, words]) => (
    <option key={choice} value={choice}>
      {words}
    </option>
  ));
}
