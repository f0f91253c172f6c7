// Groups questions from many games by agent, so that each agent answers all of its questions in one call.
import type { Agent, Soon } from './agent.js';

/** Questions grouped by agent. Each question has a `Place`, a value that says where its answer belongs. */
export class QuestionLists<Q, Place> {
  private readonly lists = new Map<Agent, { readonly questions: Q[]; readonly places: Place[] }>();

  /** Adds a question to the list of an agent. @param place passed on with the answer */
  add(agent: Agent, question: Q, place: Place): void {
    const known = this.lists.get(agent);
    const list = known ?? { questions: [], places: [] };
    if (known === undefined) this.lists.set(agent, list);
    list.questions.push(question);
    list.places.push(place);
  }

  /**
   * Asks all agents at the same time, then clears the lists. Returns a promise only if an agent returns one.
   * @param ask passes questions to an agent and returns one answer for each, in the same order
   * @param take called with each answer, once its agent has answered all of its questions
   */
  ask<A>(
    ask: (agent: Agent, questions: readonly Q[]) => Soon<readonly A[]>,
    take: (place: Place, answer: A, question: Q) => void,
  ): Soon<void> {
    const waiting: Promise<void>[] = [];
    for (const [agent, { questions, places }] of this.lists) {
      const takeAll = (answers: readonly A[]): void => {
        for (let i = 0; i < places.length; i++) take(places[i], answers[i], questions[i]);
      };
      const answers = ask(agent, questions);
      if (answers instanceof Promise) waiting.push(answers.then(takeAll));
      else takeAll(answers);
    }
    this.lists.clear();
    return waiting.length === 0 ? undefined : Promise.all(waiting).then(() => {});
  }
}
