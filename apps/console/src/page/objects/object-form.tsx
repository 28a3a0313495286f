import type { ReactNode } from 'react';
import type { ApiObject } from '../api/api-object.ts';
import { FieldProblem } from '../parts/field-frame.tsx';
import type { ObjectForm as Form } from './use-object-form.ts';

/** What every form for objects of a kind takes. */
export interface ObjectFormProps<T extends ApiObject> {
  /** What is edited; a new one without it. */
  readonly object?: T | undefined;
  /** Id of what a new one is made from, where it is made from something. */
  readonly madeFrom?: string | undefined;
  readonly onSaved: (object: T) => void;
  readonly onCancel: () => void;
}

interface FormFrameProps {
  readonly form: Form;
  /** On the button. Default: what it does to objects of the kind. */
  readonly action?: string | undefined;
  readonly onCancel: () => void;
  readonly children: ReactNode;
}

/** Fields, what the API says against the whole, and the two ways out. */
export function ObjectForm({ form, action, onCancel, children }: FormFrameProps) {
  const { problem, isNew, kind } = form;
  const words =
    problem?.code === 'aborted'
      ? 'Somebody else changed the object in the meantime: close this form, review the current values, and repeat your change.'
      : problem?.message;
  return (
    <form
      className="form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        form.submit();
      }}
    >
      <div className="form-fields">{children}</div>
      <FieldProblem problem={words} layout="form-problem" />
      <div className="form-actions">
        <button type="submit" className="main-button" disabled={form.isBusy || !form.isChanged}>
          {action ?? (isNew ? `Create ${kind.singular}` : 'Save')}
        </button>
        <button type="button" className="quiet-button" onClick={onCancel}>
          Cancel
        </button>
      </div>
    </form>
  );
}
