import { type ReactNode, useState } from 'react';
import { useLocation } from 'wouter';
import type { ApiObject } from '../api/api-object.ts';
import { may, type ObjectKind } from '../api/object-kind.ts';
import { objectHref } from '../model/addresses.ts';
import { Dialog } from '../parts/dialog.tsx';
import { useSession } from '../session/use-session.ts';

interface CreateButtonProps<T extends ApiObject> {
  readonly kind: ObjectKind;
  /** On the button: `Order a cluster`. */
  readonly label: string;
  readonly form: (on: { readonly cancel: () => void; readonly saved: (object: T) => void }) => ReactNode;
}

/** Opens the form for a new object, and then the object. Nothing for those who may not make one. */
export function CreateButton<T extends ApiObject>({ kind, label, form }: CreateButtonProps<T>) {
  const session = useSession();
  const [, navigate] = useLocation();
  const [isOpen, setOpen] = useState(false);
  if (!may(session, 'Create', kind)) return null;
  const close = (): void => setOpen(false);
  return (
    <>
      <button type="button" className="main-button" onClick={() => setOpen(true)}>
        {label}
      </button>
      <Dialog title={label} isOpen={isOpen} onClose={close} size={640}>
        {form({
          cancel: close,
          saved: ({ id }) => {
            close();
            navigate(objectHref(kind.name, id));
          },
        })}
      </Dialog>
    </>
  );
}
