import { Kbd } from '@mantine/core';
import { Dialog } from '../parts/dialog.tsx';
import type { ConsolePage } from './console-page.ts';

type KeyMeaning = readonly [presses: readonly string[], meaning: string];

const otherKeys: readonly KeyMeaning[] = [
  [['↑', '↓'], 'Move in the first table of a page, or in search results'],
  [['Home', 'End'], 'First and last row of a table'],
  [['Enter'], 'Open the row'],
  [['e'], 'Explain the node'],
  [['r'], 'Resume live sorting'],
  [['?'], 'Show these keys'],
  [['Esc'], 'Close, or leave a field'],
];

interface KeyHelpProps {
  readonly pages: readonly ConsolePage[];
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

export function KeyHelp({ pages, isOpen, onClose }: KeyHelpProps) {
  const keys: readonly KeyMeaning[] = [
    [['/'], 'Search'],
    ...pages.map(({ key, label }): KeyMeaning => [['g', key], `Go to ${label}`]),
    ...otherKeys,
  ];
  return (
    <Dialog title="Keys" isOpen={isOpen} onClose={onClose} size={420}>
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
    </Dialog>
  );
}
