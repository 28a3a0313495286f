import { Modal } from '@mantine/core';
import { createContext, type ReactNode, useCallback, useContext, useLayoutEffect, useState } from 'react';

interface DialogProps {
  readonly title: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly size?: number | undefined;
  readonly children: ReactNode;
}

const GuardContext = createContext<(isFilled: boolean) => void>(() => {});

/** While something is filled in, the dialog around it asks before it discards it. */
export function useDialogGuard(isFilled: boolean): void {
  const guard = useContext(GuardContext);
  // Before the browser hands over the next key: a late word would let an Escape right after it discard what was entered.
  useLayoutEffect(() => {
    guard(isFilled);
    return () => guard(false);
  }, [guard, isFilled]);
}

/** Something to answer before going on. Escape closes it, after a question where that would discard what was entered. */
export function Dialog({ title, isOpen, onClose, size = 560, children }: DialogProps) {
  const [isFilled, setFilled] = useState(false);
  const [isAsking, setAsking] = useState(false);
  const guard = useCallback((filled: boolean) => {
    setFilled(filled);
    if (!filled) setAsking(false);
  }, []);
  const close = (): void => {
    setAsking(false);
    onClose();
  };
  return (
    <Modal
      opened={isOpen}
      onClose={() => (isFilled ? setAsking(!isAsking) : close())}
      title={title}
      closeButtonProps={{ 'aria-label': 'Close' }}
      lockScroll={false}
      transitionProps={{ duration: 0 }}
      overlayProps={{ backgroundOpacity: 0.4 }}
      shadow="none"
      radius={4}
      size={size}
    >
      {isAsking && isFilled && (
        <div className="discard-question" role="alertdialog" aria-label="Discard what you entered?">
          <p>Discard what you entered?</p>
          <button type="button" className="danger-button" onClick={close}>
            Discard
          </button>
          <button type="button" className="quiet-button" data-autofocus onClick={() => setAsking(false)}>
            Keep editing
          </button>
        </div>
      )}
      <GuardContext value={guard}>{children}</GuardContext>
    </Modal>
  );
}
