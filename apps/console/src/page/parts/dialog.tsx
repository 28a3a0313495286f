import { Modal } from '@mantine/core';
import type { ReactNode } from 'react';

interface DialogProps {
  readonly title: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly size?: number | undefined;
  readonly children: ReactNode;
}

/** Something to answer before going on. Escape closes it. */
export function Dialog({ title, isOpen, onClose, size = 560, children }: DialogProps) {
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      title={title}
      closeButtonProps={{ 'aria-label': 'Close' }}
      lockScroll={false}
      transitionProps={{ duration: 0 }}
      overlayProps={{ backgroundOpacity: 0.4 }}
      shadow="none"
      radius={4}
      size={size}
    >
      {children}
    </Modal>
  );
}
