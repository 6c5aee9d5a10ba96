import { drawGrid, gap } from '../../output/grid.ts';
import { wrap } from '../../output/width.ts';
import { HelpPage, narrowestColumn } from './help-page.ts';

const indent = '  ';

/** A topic's tables are drawn like all other tables. Loaded for topics only: other help is Commander's own. */
export class TopicPage extends HelpPage {
  override items(pairs: readonly (readonly [term: string, meaning: string])[], heading?: string): string {
    const first = indent.length + Math.max(...pairs.map(([term]) => term.length));
    const second = this.helpWidth - first - gap.length;
    if (second < narrowestColumn) return super.items(pairs, heading);
    const rows = pairs.map(([term, meaning]) => [indent + term, wrap(meaning, second).join('\n')]);
    const table = drawGrid(rows, [{ width: first }, { width: second }]).trimEnd();
    return heading === undefined ? table : `${this.styleTitle(heading)}\n${table}`;
  }
}
