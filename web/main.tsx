import { render } from 'preact';
import './style/page.css';
import { Blocks } from './data/blocks.ts';
import { Report } from './data/report.ts';
import { Page } from './page.tsx';
import { CoexistencePage } from './views/coexistence.tsx';
import { ComparisonPage } from './views/comparison.tsx';
import { TrendPage } from './views/trend.tsx';

/** Entry of the page: decompresses the data, then replaces what is shown without scripts. */
async function start(app: HTMLElement): Promise<void> {
  const fallback = document.getElementById('fallback');
  if (fallback) fallback.textContent = 'Loading…';
  try {
    const blocks = new Blocks(document);
    const page =
      blocks.count('comparison') > 0 ? (
        <ComparisonPage comparison={await blocks.read('comparison')} />
      ) : blocks.count('coexistence') > 0 ? (
        <CoexistencePage matrix={await blocks.read('coexistence')} />
      ) : blocks.count('trend') > 0 ? (
        <TrendPage trend={await blocks.read('trend')} />
      ) : (
        <Page report={await Report.load(blocks)} />
      );
    app.replaceChildren();
    render(page, app);
  } catch (error) {
    if (fallback) {
      fallback.textContent = `The data of this report cannot be read (${String(error)}). The file may be cut off, or the browser too old: it needs DecompressionStream (2023).`;
    }
    throw error;
  }
}

void start(document.getElementById('app')!);
