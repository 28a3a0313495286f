import type { ReactNode } from 'react';
import type { ApiObject } from '../api/api-object.ts';
import { useDialogGuard } from '../parts/dialog.tsx';
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
  /** Whether some of the fields must be filled in. */
  readonly hasRequired?: boolean | undefined;
  readonly onCancel: () => void;
  readonly children: ReactNode;
}

/** Fields, what the API says against the whole, and the two ways out. */
export function ObjectForm({ form, action, hasRequired = false, onCancel, children }: FormFrameProps) {
  const { problem, isNew, kind } = form;
  useDialogGuard(form.isChanged);
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
      {hasRequired && <p className="field-hint">Fields marked with * are required.</p>}
      <div className="form-fields">{children}</div>
      <FieldProblem problem={words} layout="form-problem" />
      <div className="form-actions">
        <button
          type="submit"
          className="main-button"
          disabled={form.isBusy || !form.isChanged}
          title={form.isChanged ? undefined : 'Nothing has been entered or changed yet.'}
        >
          {action ?? (isNew ? `Create ${kind.singular}` : 'Save')}
        </button>
        <button type="button" className="quiet-button" onClick={onCancel}>
          Cancel
        </button>
      </div>
    </form>
  );
}
