"""An unmodified kubectl at work on a served cluster, and the table of docs/live.md."""

import os
import shutil
import subprocess
from pathlib import Path
from typing import NamedTuple

import pytest

from packages.live.tests.serve.served import TWO_NODES, served

DOCS = Path(__file__).parents[4] / "docs" / "live.md"

WEB = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 3
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - {name: web, image: "nginx:1", env: [{name: A, value: "1"}], resources: {requests: {cpu: 100m}}}
"""
MORE = """
apiVersion: v1
kind: Service
metadata: {name: web}
spec: {selector: {app: web}, ports: [{port: 80}]}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: web}
spec: {minAvailable: 2, selector: {matchLabels: {app: web}}}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
data: {colour: green}
"""
OBJECTS = """
apiVersion: scheduling.k8s.io/v1
kind: PriorityClass
metadata: {name: high}
value: 1000
---
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {name: fast}
provisioner: example.com/disks
volumeBindingMode: WaitForFirstConsumer
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data}
spec: {accessModes: [ReadWriteOnce], storageClassName: fast, resources: {requests: {storage: 1Gi}}}
---
apiVersion: batch/v1
kind: Job
metadata: {name: once}
spec: {template: {spec: {restartPolicy: Never, containers: [{name: c, image: "busybox:1"}]}}}
---
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: db}
spec:
  serviceName: db
  replicas: 1
  selector: {matchLabels: {app: db}}
  template: {metadata: {labels: {app: db}}, spec: {containers: [{name: c, image: "db:1"}]}}
---
apiVersion: v1
kind: PersistentVolume
metadata: {name: disk}
spec: {capacity: {storage: 2Gi}, accessModes: [ReadWriteOnce], storageClassName: slow, hostPath: {path: /disk}}
---
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: gpu}
"""


CRONTABS = """
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: crontabs.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: crontabs, kind: CronTab, shortNames: [ct]}
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
    additionalPrinterColumns: [{name: Spec, type: string, jsonPath: .spec.cronSpec}]
"""
CRONTAB = """
apiVersion: example.com/v1
kind: CronTab
metadata: {name: mine}
spec: {cronSpec: "* * * * 5"}
"""
SIZED = """
apiVersion: v1
kind: Pod
metadata: {name: sized}
spec: {containers: [{name: c, image: "busybox:1", resources: {requests: {cpu: 500m}}}]}
"""
LARGER = '{"spec":{"containers":[{"name":"c","resources":{"requests":{"cpu":"1"}}}]}}'


INSTALLED = """
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleList
items:
- {apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: operator}, rules: []}
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: operator}
webhooks: []
---
apiVersion: apiregistration.k8s.io/v1
kind: APIService
metadata: {name: v1.metrics.example.com}
spec: {group: metrics.example.com, version: v1, groupPriorityMinimum: 100, versionPriority: 100}
"""


class Case(NamedTuple):
    """A command, what it prints, and the remark in the table; ``input``: of ``-f -``; ``fails``: it is refused."""

    command: str
    prints: str
    remark: str = ""
    input: str | None = None
    fails: bool = False


CASES = (
    Case("version", "v1.37.0+kschedlab"),
    Case("api-resources", "poddisruptionbudgets", "the kinds of the simulation, and some that are only kept"),
    Case("cluster-info", "is running at"),
    Case("get nodes", "Ready", "tables have kubectl's own columns for every kind"),
    Case("apply -f FILE", "deployment.apps/web created", input=WEB),
    Case("apply -f FILE", "deployment.apps/web unchanged", "a second time: nothing changes", WEB),
    Case("rollout status deployment/web", "successfully rolled out"),
    Case("create -f FILE", "service/web created", input=MORE),
    Case("create -f FILE", "job.batch/once created", input=OBJECTS),
    Case("get pods -o wide", "NOMINATED NODE"),
    Case("get pods -o yaml", "dnsPolicy: ClusterFirst", "with defaults, and with fields that the simulation ignores"),
    Case("get pods -l app=web --field-selector status.phase=Running", "web-"),
    Case("get all -A", "deployment.apps/web"),
    Case("get events", "Scheduled"),
    Case("events", "Successfully assigned"),
    Case("describe node n1", "Allocated resources"),
    Case("describe deployment web", "ScalingReplicaSet"),
    Case("describe pods --show-events", "Successfully assigned", "with events"),
    Case("describe sts,rs,job,svc,pdb,cm", "once"),
    Case("describe pv,pvc,sc,pc,ns,deviceclasses", "WaitForFirstConsumer"),
    Case("explain pod.spec.tolerations", "tolerationSeconds", "fields and types of what is modelled, no descriptions"),
    Case("diff -f FILE", "image: nginx:2", "exit status 1: there is a difference", WEB.replace(":1", ":2"), True),
    Case("set image deployment/web web=nginx:2", "image updated", "rolls out"),
    Case("rollout status deployment/web", "successfully rolled out"),
    Case("rollout history deployment/web", "2"),
    Case("rollout undo deployment/web", "rolled back"),
    Case("rollout restart deployment/web", "restarted"),
    Case("rollout status deployment/web", "successfully rolled out"),
    Case("set env deployment/web B=2", "env updated", "is kept, but rolls nothing out: it is not simulated"),
    Case("scale deployment/web --replicas=4", "scaled"),
    Case("wait deployment/web --for=jsonpath={.status.readyReplicas}=4", "condition met"),
    Case('patch deployment web -p {"spec":{"replicas":3}}', "patched", "strategic merge patch"),
    Case('patch node n1 --type=merge -p {"metadata":{"labels":{"a":"b"}}}', "patched"),
    Case('patch node n1 --type=json -p [{"op":"remove","path":"/metadata/labels/a"}]', "patched"),
    Case("label node n1 disk=ssd", "labeled"),
    Case("annotate node n1 note=1", "annotated"),
    Case("taint node n2 busy=yes:NoSchedule", "tainted"),
    Case("taint node n2 busy-", "untainted"),
    Case("run one --image=nginx", "pod/one created"),
    Case("wait pod/one --for=condition=Ready", "condition met"),
    Case("wait deployment/web --for=jsonpath={.status.replicas}=3", "condition met"),
    Case("create -f FILE", "pod/sized created", "a single pod", SIZED),
    Case("wait pod/sized --for=condition=Ready", "condition met"),
    Case("patch pod sized --subresource=resize -p " + LARGER, "patched", "in-place resize"),
    Case("cordon n1", "cordoned"),
    Case("drain n1 --ignore-daemonsets --force --timeout=60s", "drained", "asks again where a budget forbids it (429)"),
    Case("uncordon n1", "uncordoned"),
    Case("delete job once", "deleted"),
    Case("delete pods -l app=db", "deleted"),
    Case("expose deployment web --name=web2 --port=80", "exposed"),
    Case("replace -f FILE", "configmap/settings replaced", input=MORE.rpartition("---\n")[2]),
    Case("auth can-i delete nodes", "yes", "one user may do everything"),
    Case("auth whoami", "kschedlab"),
    Case("apply --server-side -f FILE", "serverside-applied", "owners and conflicts as in v1.37", WEB),
    Case("create deployment two --image=nginx", "deployment.apps/two created"),
    Case("create namespace lab", "namespace/lab created"),
    Case("create secret generic key --from-literal=a=b", "secret/key created"),
    Case("create cronjob often --image=busybox --schedule=@hourly", "created", "as the other kinds of `create`"),
    Case("autoscale deployment two --max=4 --cpu-percent=50", "autoscaled", "its bounds act, its metrics do not"),
    Case("apply -f FILE", "crontabs.example.com created", "a CustomResourceDefinition", CRONTABS),
    Case("wait crd/crontabs.example.com --for=condition=Established", "condition met"),
    Case("apply -f FILE", "crontab.example.com/mine created", "kept; no schema is applied", CRONTAB),
    Case("get ct", "* * * * 5", "with the columns of its definition"),
    Case("delete crd crontabs.example.com", "deleted", "with all its objects"),
    Case("debug node/n1 --image=busybox", "Creating debugging pod", "makes a pod, in which nothing runs"),
    Case("get --raw /metrics", 'apiserver_resource_objects{group="",resource="nodes"} 2', "objects by kind, no more"),
    Case("logs deployment/web", "run no containers", "as `attach`: no containers run", fails=True),
    Case("exec deployment/web -- ls", "Not Implemented", "as `cp` and `port-forward`: no containers run", fails=True),
    Case("top nodes", "Metrics API not available", fails=True),
    Case("delete deployment web", "deleted"),
    Case("delete namespace kube-node-lease --wait=false", "deleted", "with everything in it"),
    Case("delete namespace default", "this namespace may not be deleted", "as in a real cluster", fails=True),
)  # fmt: skip


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    """Pods take half a second to end: kubectl waits for ever for one that is replaced between its get and its list."""
    lasting = TWO_NODES.replace("stop: 100ms", "stop: 5s")
    with served(tmp_path_factory.mktemp("kubectl"), lasting, "--speed", "10") as each:
        yield each


def table() -> str:
    """The commands as docs/live.md lists them."""
    lines = ["| kubectl | | Remark |", "|---|---|---|"]
    for case in dict.fromkeys((c.command, c.fails and "diff" not in c.command, c.remark) for c in CASES):
        command, refused, remark = case
        lines.append(f"| `{command.replace('|', '&#124;')}` | {'refused' if refused else 'works'} | {remark} |")
    return "\n".join(lines)


def test_the_documentation_has_the_table():
    assert table() in DOCS.read_text(), f"docs/live.md needs this table:\n{table()}"


def test_every_command_of_the_table(cluster):
    run_the_table(cluster)


def run_the_table(cluster):
    """Run the commands of the table, one after the other."""
    for case in CASES:
        arguments = ["-" if word == "FILE" else word for word in case.command.split(" ")]
        said = cluster.kubectl(*arguments, input=case.input, fails=case.fails)
        assert case.prints in said, f"{case.command}: {said}"


def test_what_an_operator_installs_is_applied_and_deleted(cluster):
    created = cluster.kubectl("apply", "-f", "-", input=INSTALLED)
    assert len(created.splitlines()) == 3 and "validatingwebhookconfiguration" in created
    assert "Local" in cluster.kubectl("get", "apiservices")
    assert "deleted" in cluster.kubectl("delete", "-f", "-", input=INSTALLED)


def test_a_kind_without_its_definition_is_named(cluster):
    """kubectl says so itself, once it has found no schema of the kind to check the file with."""
    other = CRONTAB.replace("example.com", "example.org")  # kubectl remembers the kinds of example.com
    said = cluster.kubectl("apply", "-f", "-", input=other, fails=True)
    assert 'no matches for kind "CronTab" in version "example.org/v1"' in said
    assert "ensure CRDs are installed first" in said


def test_a_watch_shows_the_nominated_node(tmp_path):
    """The scenario in the documentation: kubectl shows what the documentation shows."""
    text = DOCS.read_text().partition("### Preemption, watched")[2]
    scenario = text.partition("```yaml\n")[2].partition("```")[0]
    shown = [line.split() for line in text.splitlines() if line.startswith(("    low ", "    urgent "))]
    with served(tmp_path, scenario, "--speed", "4") as cluster:
        if not (kubectl := shutil.which("kubectl")):
            pytest.skip("kubectl is not installed: make system installs it")
        command = [kubectl, "get", "pods", "-o", "wide", "--watch"]
        environment = {"KUBECONFIG": str(cluster.path), "PATH": os.environ["PATH"], "HOME": str(tmp_path)}
        lines = []
        with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as watching:
            assert watching.stdout is not None
            for line in watching.stdout:
                lines.append(line.split())
                if line.startswith("urgent") and "Running" in line:
                    break
            watching.kill()
    states = [(name, ready, status, *rest[2:]) for name, ready, status, *rest in lines[1:]]
    wanted = [(name, ready, status, *rest[2:]) for name, ready, status, *rest in shown]
    assert len(states) >= 9, lines
    assert states == wanted[-len(states) :]  # kubectl may come when the first pod is on its way
