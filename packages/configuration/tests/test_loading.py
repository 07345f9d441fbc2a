"""Sources of a configuration, and warnings about its contents."""

import io
import json
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import given, strategies as st

from kschedlab.generations import Generation
from kschedlab.manifests.loading import ManifestError
from kschedlab.objects.meta import Part
from kschedlab.objects.model import Pod
from kschedlab.plugins.framework import NodeView, Plugin
from kschedlab_configuration import fields, load_configuration
from kschedlab_configuration.fields import Plugins
from kschedlab_configuration.plugin_catalogues import V1
from kschedlab_configuration.policy import fields as policy
from tests.saying import says

TEXT = """apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- schedulerName: a
- schedulerName: b
"""


def test_a_path_a_file_and_a_text(tmp_path: Path):
    path = tmp_path / "scheduler.yaml"
    path.write_text(TEXT)
    loaded = [load_configuration(source) for source in (path, str(path), io.StringIO(TEXT), TEXT)]
    assert all(profiles == loaded[0] for profiles in loaded)
    assert list(loaded[0]) == ["a", "b"] and loaded[0].warnings == ()


def test_faults_name_the_file_and_the_line(tmp_path: Path):
    path = tmp_path / "scheduler.yaml"
    path.write_text(TEXT + "- schedulerName: a\n")
    with pytest.raises(ManifestError) as error:
        load_configuration(path)
    assert str(error.value) == f'{path}:6: profiles[2].schedulerName: Duplicate value: "a"'


def test_json_is_read_too_with_its_lines():
    text = (
        '{"apiVersion": "kubescheduler.config.k8s.io/v1",\n "kind": "KubeSchedulerConfiguration",\n "parallelism": 0}'
    )
    with pytest.raises(ManifestError, match="<text>:3: parallelism: Invalid value: 0"):
        load_configuration(text)


@pytest.mark.parametrize(
    ("kind", "version", "why"),
    [
        ("Policy", "v2", "apiVersion: is not a supported value"),
        ("KubeSchedulerConfiguration", "kubescheduler.config.k8s.io/v9", "apiVersion: is not a supported value"),
        ("Deployment", "apps/v1", "kind: is not a supported value"),
        (None, "v1", "kind: is missing"),
    ],
)
def test_every_format_is_named_where_none_fits(kind: str | None, version: str, why: str):
    with pytest.raises(ManifestError) as error:
        load_configuration(json.dumps({"kind": kind, "apiVersion": version}))
    text = str(error.value)
    assert why in text and 'KubeSchedulerConfiguration of "kubescheduler.config.k8s.io/v1"' in text
    assert text.endswith('Policy of "v1"')


def test_settings_that_are_not_modelled_are_reported():
    text = """apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
leaderElection: {leaderElect: true}
podMaxBackoffSeconds: 20
extenders: [{urlPrefix: "http://127.0.0.1"}]
profiles:
- plugins:
    permit: {enabled: [{name: GangScheduling}]}
    filter: {enabled: [{name: DeferredPodScheduling}]}
  pluginConfig:
  - {name: NodePorts, args: {a: 1}}
  - {name: DynamicResources, args: {bindingTimeout: 5s}}
  - {name: Foreign, args: {a: 1}}
"""
    assert load_configuration(text).warnings == (
        "<text>:1: does not affect decisions: leaderElection, podMaxBackoffSeconds",
        "<text>:7: profiles[0].plugins: does not affect decisions: permit",
        '<text>:9: profiles[0].plugins.filter.enabled[0]: the plugin "DeferredPodScheduling" is not modelled: '
        "decisions ignore it",
        '<text>:11: profiles[0].pluginConfig[0]: "NodePorts" takes no arguments: they are ignored',
        '<text>:13: profiles[0].pluginConfig[2]: the plugin "Foreign" is not modelled',
    )


ONE_PROFILE = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\nprofiles:\n- "
NO_SPREAD = "plugins: {multiPoint: {disabled: [{name: PodTopologySpread}]}}"
NO_DEFAULTS = "pluginConfig: [{name: PodTopologySpread, args: {defaultingType: List}}]"


@pytest.mark.parametrize("profile", [NO_SPREAD, NO_DEFAULTS])
def test_a_profile_whose_pods_may_share_their_scores_is_reported(profile: str):
    """v1.37: framework/plugins/podtopologyspread/plugin.go, SignPod."""
    (warning,) = load_configuration(ONE_PROFILE + profile).warnings
    assert says(warning, "<text>:3", "OpportunisticBatching", "profiles")
    without = Generation.named("v1.37").with_feature_gates({"OpportunisticBatching": False})
    assert load_configuration(ONE_PROFILE + profile, without).warnings == ()
    assert load_configuration(ONE_PROFILE + profile, "v1.34").warnings == ()


def test_a_plugin_of_one_s_own_ends_the_sharing_of_scores():
    class Own(Plugin):
        def filter(self, pod: Pod, node: NodeView) -> None:
            return None

    assert load_configuration(ONE_PROFILE + NO_SPREAD, plugins=[Own()]).warnings == ()


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
FIELDS = st.dictionaries(st.sampled_from(Plugins.__struct_fields__), JSON, max_size=3)
PROFILE = st.fixed_dictionaries(
    {}, optional={"schedulerName": JSON, "plugins": FIELDS | JSON, "pluginConfig": st.lists(JSON, max_size=2)}
)


@given(st.lists(PROFILE | JSON, max_size=3), st.dictionaries(st.text(max_size=8), JSON, max_size=2))
def test_any_configuration_is_read_or_refused_with_a_message(profiles, more):
    head = {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration"}
    try:
        assert load_configuration(json.dumps(more | head | {"profiles": profiles}))
    except ManifestError as error:
        assert error.problems


SETS = st.fixed_dictionaries(
    {},
    optional={
        name: st.lists(
            st.fixed_dictionaries(
                {"name": st.sampled_from([*V1.points, "*"])}, optional={"weight": st.integers(0, 100)}
            ),
            max_size=4,
        )
        for name in ("enabled", "disabled")
    },
)


@given(st.dictionaries(st.sampled_from(Plugins.__struct_fields__), SETS, max_size=4))
def test_no_plugin_runs_twice_or_at_a_point_that_it_lacks(plugins):
    head = {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration"}
    try:
        profiles = load_configuration(json.dumps(head | {"profiles": [{"plugins": plugins}]}))
    except ManifestError:
        return
    generation = profiles["default-scheduler"]
    for names, points in (
        ([f.name for f in generation.filters], {"preFilter", "filter"}),
        ([s.name for s, _ in generation.scores], {"score"}),
    ):
        assert len(set(names)) == len(names)
        assert all(points & V1.points[name] for name in names)


@pytest.mark.parametrize("module", [fields, policy])
def test_nobody_can_change_a_configuration_that_profiles_share(module: ModuleType):
    kinds = [each for each in vars(module).values() if isinstance(each, type) and issubclass(each, Part)]
    for kind in kinds:
        for name in kind.__struct_fields__:
            with pytest.raises(AttributeError):
                setattr(kind(), name, None)
