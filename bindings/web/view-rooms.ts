// What `lepanto view` shows: its pages, made from the runs of a directory.

import { boardOf } from '../draw/drawn-board.js';
import { wholeRecord } from '../formats/games/recorded-run.js';
import { editorPage } from './editor-page.js';
import { makeEditorSearch } from './editor-search.js';
import { replayPage } from './replay-page.js';
import type { RunLibrary } from './run-library.js';
import { replayNavigation, runPage, runsPage, shownPage, trainingPage } from './view-pages.js';
import type { ViewRooms } from './view-server.js';

/** The rooms of a server, and what ends the searches that it has begun. */
export interface OpenRooms {
  readonly rooms: ViewRooms;
  readonly close: () => Promise<void>;
}

/**
 * @param directory as the user named it
 * @param workers threads of searches
 */
export const viewRooms = (library: RunLibrary, directory: string, workers: number): OpenRooms => {
  const { search, close } = makeEditorSearch(workers);
  const rooms: ViewRooms = {
    library,
    runs: () => runsPage(directory, library.list()),
    training: trainingPage,
    run: (row, index) => runPage(row, index, boardOf(index.source.map).looks),
    replay: (row, index, game) => {
      const { source } = index;
      const stored = index.read(game);
      if (stored === null) return null;
      const record = wholeRecord(source, stored);
      const agents = source.manifest?.agents ?? [];
      const notes = { title: `Game ${game} of ${row.title}`, agents, navigation: replayNavigation(row, index, game) };
      return shownPage(replayPage(source, record, notes));
    },
    editor: editorPage,
    search,
  };
  return { rooms, close };
};
