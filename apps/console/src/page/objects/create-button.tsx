import { type ComponentType, useState } from 'react';
import { useLocation } from 'wouter';
import { type ApiObject, nameOf } from '../api/api-object.ts';
import { may, type ObjectKind, objectHref } from '../api/object-kind.ts';
import { Dialog } from '../parts/dialog.tsx';
import { useNotify } from '../parts/notice.tsx';
import { useSession } from '../session/session.ts';
import type { ObjectFormProps } from './object-form.tsx';

interface CreateButtonProps<T extends ApiObject> {
  readonly kind: ObjectKind;
  /** On the button: `Order a cluster`. */
  readonly label: string;
  readonly form: ComponentType<ObjectFormProps<T>>;
  readonly formWidth?: number | undefined;
  readonly madeFrom?: string | undefined;
}

/** Opens the form for a new object, and then the object. For those who may not make one the kind says whether it is there, disabled. */
export function CreateButton<T extends ApiObject>({ kind, label, form: Form, formWidth = 640, madeFrom }: CreateButtonProps<T>) {
  const session = useSession();
  const [, navigate] = useLocation();
  const [isOpen, setOpen] = useState(false);
  const notify = useNotify();
  if (!may(session, 'Create', kind)) {
    if (kind.writers === undefined) return null;
    return (
      <button type="button" className="main-button" disabled title={kind.writers}>
        {label}
      </button>
    );
  }
  const close = (): void => setOpen(false);
  const opened = (object: T): void => {
    close();
    notify(`Created the ${kind.singular} ${nameOf(object)}.`);
    navigate(objectHref(kind, object.id));
  };
  return (
    <>
      <button type="button" className="main-button" onClick={() => setOpen(true)}>
        {label}
      </button>
      <Dialog title={label} isOpen={isOpen} onClose={close} size={formWidth}>
        <Form onSaved={opened} onCancel={close} madeFrom={madeFrom} />
      </Dialog>
    </>
  );
}
