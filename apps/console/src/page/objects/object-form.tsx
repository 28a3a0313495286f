import type { ReactNode } from 'react';
import type { ObjectForm as Form } from './use-object-form.ts';

interface ObjectFormProps {
  readonly form: Form;
  /** On the button: `Create host`. */
  readonly action: string;
  readonly onCancel: () => void;
  readonly children: ReactNode;
}

/** Fields, what the API says against the whole, and the two ways out. */
export function ObjectForm({ form, action, onCancel, children }: ObjectFormProps) {
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
      {form.problem !== undefined && (
        <p className="field-problem form-problem" role="alert">
          {form.problem.code === 'aborted'
            ? 'Somebody else changed it while you did: close this, look at what it is now, and change it again.'
            : form.problem.message}
        </p>
      )}
      <div className="form-actions">
        <button type="submit" className="main-button" disabled={form.isBusy || !form.isChanged}>
          {action}
        </button>
        <button type="button" className="quiet-button" onClick={onCancel}>
          Cancel
        </button>
      </div>
    </form>
  );
}
