#!/bin/bash
# Plays a self-play run as a Slurm array job. Each task plays its part of the run.
#
#   sbatch slurm.sh --agents dumbbot --games 100000 --out /shared/runs/dumbbot
#   sbatch --array=0-99 --cpus-per-task=32 slurm.sh ...
#
# The arguments are those of `lepanto selfplay`. The same command resumes an interrupted run with the missing games.
#
#SBATCH --job-name=lepanto
#SBATCH --array=0-9
#SBATCH --ntasks=1
#SBATCH --cpus-per-task=16
#SBATCH --mem=4G
#SBATCH --time=04:00:00
#SBATCH --output=lepanto-%A-%a.log
#SBATCH --open-mode=append
# Queues a task again if it loses its node to another job.
#SBATCH --requeue
# Signals this script a minute before the time limit.
#SBATCH --signal=B:USR1@60
set -u

lepanto selfplay "$@" --shard auto --workers "${SLURM_CPUS_PER_TASK:-1}" --quiet &
player=$!
is_late=no is_told=no
# An interrupted player saves the games that it is recording, and ends with code 130. A killed one loses only these.
trap 'is_told=yes is_late=yes; kill -INT "$player"' USR1
trap 'is_told=yes; kill -INT "$player"' TERM

# A signal interrupts `wait`, but not the player, so waits again.
wait "$player"
code=$?
while [ "$is_told" = yes ]; do
  is_told=no
  wait "$player"
  code=$?
done

if [ "$is_late" = yes ] && [ "$code" -eq 130 ]; then
  scontrol requeue "${SLURM_ARRAY_JOB_ID}_${SLURM_ARRAY_TASK_ID}"
fi
exit "$code"
