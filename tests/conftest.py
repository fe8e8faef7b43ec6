"""Laws are tested by what they say, never by the clock."""

from hypothesis import HealthCheck, settings

# A slow or busy machine is no fault of what is tested.
settings.register_profile("untimed", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("untimed")
