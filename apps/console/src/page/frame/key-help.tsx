import { Kbd, Modal } from '@mantine/core';
import { goKeys } from '../model/key-sequence.ts';

const keys: readonly (readonly [readonly string[], string])[] = [
  [['/'], 'Search nodes, pods and parts'],
  ...[...goKeys].map(([key, { label }]) => [['g', key], `Go to ${label}`] as const),
  [['↑', '↓'], 'Move in a table or in search results'],
  [['Home', 'End'], 'First and last row of a table'],
  [['Enter'], 'Open the row'],
  [['r'], 'Let held rows move'],
  [['?'], 'These keys'],
  [['Esc'], 'Close, or leave a field'],
];

export function KeyHelp({ isOpen, onClose }: { readonly isOpen: boolean; readonly onClose: () => void }) {
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      title="Keys"
      closeButtonProps={{ 'aria-label': 'Close' }}
      lockScroll={false}
      transitionProps={{ duration: 0 }}
      overlayProps={{ backgroundOpacity: 0.4 }}
      shadow="none"
      radius={4}
      size={420}
    >
      <dl className="keys">
        {keys.map(([presses, meaning]) => (
          <div key={meaning}>
            <dt>
              {presses.map((press) => (
                <Kbd key={press}>{press}</Kbd>
              ))}
            </dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
    </Modal>
  );
}
